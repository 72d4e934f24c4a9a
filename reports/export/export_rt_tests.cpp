// SPDX-License-Identifier: MIT
//
// One phase as rt-tests writes it with --json: microseconds, a thread for each CPU. Its two odd keys are as they are
// there, since programs that read such files look for them. Minimum and maximum are whole: rounded down and up. What
// rt-tests tells of the host is left out.
#include <fmt/format.h>

#include <cmath>
#include <maxlat/reports/export_definition.hpp>
#include <nlohmann/json.hpp>

#include "export_rows.hpp"

namespace maxlat::reports {
namespace {

using nlohmann::ordered_json;

constexpr double kAlmost = 1e-6;  // of a microsecond: what conversion may have added

ordered_json thread_of(const core::CpuResult& cpu) {
  ordered_json thread, histogram = ordered_json::object();
  for (const auto& [us, count] : rows_of(cpu)) histogram[std::to_string(us)] = count;
  thread["histogram"] = std::move(histogram);
  thread["cycles"] = cpu.samples;
  thread["min"] = static_cast<uint64_t>(std::floor(cpu.min_ns / kRow_ns + kAlmost));
  thread["max"] = static_cast<uint64_t>(std::ceil(cpu.max_ns / kRow_ns - kAlmost));
  thread["avg"] = std::round(cpu.mean_ns) / kRow_ns;
  thread["cpu"] = cpu.cpu;
  thread["node"] = -1;
  return thread;
}

core::Result<std::string> write_rt_tests(const core::RunResult& run, const std::vector<const core::Phase*>& phases) {
  if (phases.size() > 1) {
    std::string names;
    for (const core::Phase* phase : phases) names += (names.empty() ? "" : ", ") + phase->name;
    return core::Error{fmt::format("a file of rt-tests holds one phase, and the run has {}", phases.size()),
                       "choose one with --phase: " + names};
  }
  const core::Phase& phase = *phases.front();
  ordered_json file;
  file["file_version"] = 1;
  file["cmdline:"] = phase.command.empty() ? run.tool : phase.command;
  file["rt_test_version:"] = run.tool;
  file["return_code"] = phase.status == core::PhaseStatus::ok ? 0 : 1;
  ordered_json threads = ordered_json::object();
  for (const core::CpuResult& cpu : phase.per_cpu)
    if (cpu.samples > 0) threads[std::to_string(threads.size())] = thread_of(cpu);
  file["num_threads"] = threads.size();
  file["resolution_in_ns"] = 0;
  file["thread"] = std::move(threads);
  return file.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

extern const ExportDefinition kRtTests{"rt-tests", "the JSON of rt-tests, of one phase", write_rt_tests};

}  // namespace maxlat::reports
