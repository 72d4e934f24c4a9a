// SPDX-License-Identifier: MIT
//
// A load that died makes its phase invalid, whatever the rules are (unfit_because()); so what is left to ask is whether
// there was one.
#include <maxlat/reports/metric_definition.hpp>

namespace maxlat::reports {
namespace {

Observation load_observed(const core::RunResult&, const core::Phase& phase, const Rule&) {
  if (phase.load.empty()) return {.not_measured = "the phase has no load"};
  return {.value = 1, .text = "alive"};
}

}  // namespace

extern const MetricDefinition kLoadAliveMetric{
    .name = "load_alive",
    .unit = MetricUnit::required,
    .bound = Bound::at_least,
    .wanted = "alive",
    .option = "load-alive",
    .help = "every load lived to the end of its phase",
    .of_phase = load_observed,
    .without_samples = true,
    .concerns = [](const core::RunResult&, const core::Phase& phase) { return !phase.load.empty(); },
    .nowhere = "no phase of the run has a load",
};

}  // namespace maxlat::reports
