// SPDX-License-Identifier: MIT
//
// How long was really looked at: a run that was too short to see a rare stall must not pass for want of it.
#include <maxlat/reports/metric_definition.hpp>

namespace maxlat::reports {

extern const MetricDefinition kExposureMetric{
    .name = "exposure",
    .unit = MetricUnit::seconds,
    .bound = Bound::at_least,
    .option = "exposure",
    .argument = "TIME",
    .help = "CPU time watched at least TIME, all CPUs of a phase together",
    .of_phase =
        [](const core::RunResult&, const core::Phase& phase, const Rule&) {
          if (phase.exposure_s > 0) return Observation{.value = phase.exposure_s};
          return Observation{.not_measured = "nobody told how long it watched"};
        },
};

}  // namespace maxlat::reports
