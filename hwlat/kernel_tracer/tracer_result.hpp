// SPDX-License-Identifier: MIT
//
// What the tracer's records say about each CPU, and what they do not.
//
// The kernel tells at most one record per window and CPU, the largest gap of it, and none when that was not above the
// threshold. So a sample here is a window: `samples` is the number of windows watched, a window without a record lies
// in the one bin from 0 to the threshold, and nothing is claimed about gaps below it.
#pragma once

#include <vector>

#include "backend.hpp"
#include "tracer_format.hpp"

namespace maxlat::hwlat {

struct TracerExposure {
  unsigned cpu = 0;
  double seconds = 0;    // CPU-seconds sampled
  uint64_t windows = 0;  // of them
};

// `start_realtime_ns` is when the tracer was started. ERRORS: a requested CPU without exposure, a record of a CPU that
// was not requested.
core::Result<Measurement> tracer_measurement(const Settings& settings, const std::vector<TracerRecord>& records,
                                             uint64_t lost, const std::vector<TracerExposure>& exposure,
                                             uint64_t start_realtime_ns);

}  // namespace maxlat::hwlat
