// SPDX-License-Identifier: MIT
#include "measured_alike.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/cpu_list.hpp>

namespace maxlat::reports {
namespace {

constexpr double kWatchedTwice = 2;

std::string cpus_text(const core::Phase& phase) {
  core::CpuList cpus;
  for (const core::CpuResult& cpu : phase.per_cpu) cpus.push_back(cpu.cpu);
  return core::to_string(cpus);
}

std::string loads_text(const core::Phase& phase) {
  std::string text;
  for (const core::LoadResult& load : phase.load) text += (text.empty() ? "" : ", ") + load.name;
  return text.empty() ? "no load" : text;
}

std::string fact_text(const core::Phase& phase, const char* name) {
  const auto found = phase.facts.find(name);
  return found == phase.facts.end() ? "" : found->second;
}

}  // namespace

std::optional<std::string> measured_otherwise(const core::Phase& phase, const core::Phase& baseline) {
  const std::array<std::array<std::string, 3>, 6> pairs = {{
      {"kind", phase.kind, baseline.kind},
      {"arm", phase.arm, baseline.arm},
      {"CPUs", cpus_text(phase), cpus_text(baseline)},
      {"loads", loads_text(phase), loads_text(baseline)},
      {"back end", fact_text(phase, core::fact::kBackEnd), fact_text(baseline, core::fact::kBackEnd)},
      {"bound", fact_text(phase, core::fact::kBound), fact_text(baseline, core::fact::kBound)},
  }};
  for (const auto& [what, one, other] : pairs)
    if (one != other) return fmt::format("{}: \"{}\", the baseline's \"{}\"", what, one, other);
  return std::nullopt;
}

bool watched_alike(const core::Phase& one, const core::Phase& other) {
  const double shorter = std::min(one.exposure_s, other.exposure_s);
  return shorter > 0 && std::max(one.exposure_s, other.exposure_s) <= kWatchedTwice * shorter;
}

}  // namespace maxlat::reports
