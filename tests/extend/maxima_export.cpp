// SPDX-License-Identifier: MIT
//
// A line for each CPU of each phase: the phase, the CPU, and its maximum in nanoseconds.
#include <fmt/format.h>

#include <maxlat/reports/export_definition.hpp>

namespace maxlat::reports {
namespace {

core::Result<std::string> write(const core::RunResult&, const std::vector<const core::Phase*>& phases) {
  std::string text;
  for (const core::Phase* phase : phases)
    for (const core::CpuResult& cpu : phase->per_cpu)
      text += fmt::format("{} {} {:.0f}\n", phase->name, cpu.cpu, cpu.max_ns);
  return text;
}

}  // namespace

extern const ExportDefinition kMaxima{.name = "maxima", .what = "the largest of each CPU", .write = write};

}  // namespace maxlat::reports
