// SPDX-License-Identifier: MIT
//
// deviation: how far the samples of the worst CPU lie from their mean.
#include <maxlat/reports/metric_definition.hpp>

namespace maxlat::reports {

extern const MetricDefinition kDeviationMetric{
    .name = "deviation",
    .option = "deviation",
    .argument = "TIME",
    .help = "standard deviation at most TIME",
    .of_cpu = [](const core::CpuResult& cpu, const Rule&) { return Observation{.value = cpu.stddev_ns}; },
};

}  // namespace maxlat::reports
