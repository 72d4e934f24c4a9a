// SPDX-License-Identifier: MIT
#include "explain.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <maxlat/core/sys/counted.hpp>

namespace maxlat::hwlat {

namespace {

// Two CPUs' clocks and loops see the end of the same stall this far apart at most.
constexpr double kSameMoment_ns = 20'000;

// A gap of `cpu` that overlaps [end - latency, end].
bool overlaps(const core::CpuResult& cpu, const core::Outlier& gap) {
  return std::any_of(cpu.outliers.begin(), cpu.outliers.end(), [&](const core::Outlier& other) {
    return other.t_ns - other.latency_ns <= gap.t_ns + kSameMoment_ns &&
           gap.t_ns - gap.latency_ns <= other.t_ns + kSameMoment_ns && other.latency_ns >= gap.latency_ns / 2;
  });
}

bool on_all_cpus(const core::Phase& phase, const core::Outlier& gap) {
  return phase.per_cpu.size() > 1 && std::all_of(phase.per_cpu.begin(), phase.per_cpu.end(),
                                                 [&](const core::CpuResult& cpu) { return overlaps(cpu, gap); });
}

// What the back end has counted for this gap; null without.
const Finding* finding_of(const std::vector<Finding>& findings, const core::Outlier& gap) {
  for (const Finding& finding : findings) {
    if (finding.cpu == gap.cpu && std::abs(finding.t_ns - gap.t_ns) < 1) return &finding;
  }
  return nullptr;
}

template <typename Value>
Value rise_of(const std::map<unsigned, Value>& values, unsigned cpu) {
  const auto found = values.find(cpu);
  return found == values.end() ? Value{} : found->second;
}

std::string cause_of(const Measurement& measured, const core::Outlier& gap, const core::MachineChange& change,
                     bool interrupts_off) {
  const Finding* const finding = finding_of(measured.findings, gap);
  const bool counted = finding != nullptr && finding->smi_count.has_value();
  if (counted && *finding->smi_count > 0)
    return fmt::format("firmware: {} in it", core::counted(*finding->smi_count, "SMI"));
  if (const uint64_t smis = rise_of(change.smi, gap.cpu); smis > 0 && !counted) {
    return fmt::format("firmware: {} on this CPU during the run", core::counted(smis, "SMI"));
  }
  if (finding != nullptr && finding->nmi_count > 0)
    return fmt::format("NMI: {} in {}", finding->nmi_count, counted ? "it" : "its window");
  // With interrupts on, the timer tick of every CPU comes at the same time.
  if (interrupts_off && on_all_cpus(measured.phase, gap)) return "global stall: all watched CPUs at once";
  if (const double steal_s = rise_of(change.steal_s, gap.cpu); steal_s > 0) {
    return fmt::format("host: took {:.0f} ms of this CPU during the run (steal time)", steal_s * 1000);
  }
  if (change.hypervisor)
    return interrupts_off ? "host: this is a guest" : "host, interrupt or scheduling: this is a guest";
  return {};
}

}  // namespace

void explain(Measurement& measured, const core::MachineChange& change, const Settings& settings, bool interrupts_off) {
  for (core::CpuResult& cpu : measured.phase.per_cpu) {
    for (core::Outlier& gap : cpu.outliers) {
      if (gap.latency_ns <= static_cast<double>(settings.threshold_ns)) continue;
      gap.cause = cause_of(measured, gap, change, interrupts_off);
    }
  }
}

}  // namespace maxlat::hwlat
