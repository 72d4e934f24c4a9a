// SPDX-License-Identifier: MIT
//
// The largest stall of the hardware itself. A loop in user space measures interrupts and scheduling, too: its maximum
// is an upper bound, and says neither that the hardware is good nor that it is bad.
#include <fmt/format.h>

#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/reports/metric_definition.hpp>

#include "../view/phase_view.hpp"

namespace maxlat::reports {
namespace {

bool is_of_the_hardware(const core::Phase& phase) {
  return phase.kind == core::kHwlatKind.name;
}

Observation hardware_observed(const core::RunResult&, const core::Phase& phase, const Rule& rule) {
  if (!is_of_the_hardware(phase)) return {.not_measured = fmt::format("a {} phase is not of the hardware", phase.kind)};
  if (core::is_upper_bound(phase))
    return {.not_measured = "not of the hardware alone: " + phase.facts.at(core::fact::kBound)};
  const core::CpuResult* worst = worst_cpu(phase);
  if (found_nothing(*worst) && worst->max_ns > rule.limit)
    return {.not_measured = "nothing was found, and the meter does not report what is below its threshold"};
  return {.value = worst->max_ns, .note = fmt::format("CPU {}", worst->cpu)};
}

}  // namespace

extern const MetricDefinition kHardwareMetric{
    .name = "hardware_max",
    .help = "largest stall of the hardware itself; an upper bound is not measured",
    .of_phase = hardware_observed,
    .concerns = [](const core::RunResult&, const core::Phase& phase) { return is_of_the_hardware(phase); },
    .nowhere = "no phase of the run is of the hardware (hwlat)",
};

}  // namespace maxlat::reports
