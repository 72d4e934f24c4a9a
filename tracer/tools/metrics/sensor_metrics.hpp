// SPDX-License-Identifier: MIT
//
// Values of sensors as metrics of a monitoring system.
//
// A family of metrics for each GROUP_NAME, whichever programs have it; program and process are labels. Values are in
// base units, as monitoring systems have them: seconds, volts, meters_per_second; one that is not known stays as it is.
// A kind's samples are its row's (sensor_show.hpp). A histogram has only buckets with something in them. Of a stat
// there are gauges (last, min, max, mean, sum), and a counter of its posts. Maps are left out: each cell would be a
// time series.
#pragma once

#include <maxlat/core/sys/open_metrics.hpp>
#include <string>

#include "sensors/chosen_sensors.hpp"

namespace maxlat::trace_tools {

std::string metrics_of(const ChosenSensors& chosen, core::OpenMetrics::Format format);

}  // namespace maxlat::trace_tools
