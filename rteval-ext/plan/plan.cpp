// SPDX-License-Identifier: MIT
#include "plan.hpp"

namespace maxlat::rteval_ext {

namespace {

// A control starts each meter, waits until it measures, and stops it again: seen to take about this long.
constexpr double kMeterStartAndStop_s = 4;
// Of a comparison, for each arm in each round: starting its process, setting up its tracer, reading its trace back.
constexpr double kAroundARound_s = 0.95;
constexpr double kStallSpacing_s = 0.025;  // StallPlan::spacing_ns and its jitter

}  // namespace

double expected_seconds(const PhasePlan& phase, size_t measured_cpus) {
  const double duration_s = static_cast<double>(phase.duration_ns) * 1e-9;
  if (is_comparison(phase.kind))  // the base runs twice
    return phase.rounds * static_cast<double>(phase.arms.size() + 1) * (duration_s + kAroundARound_s);
  if (!is_control(phase.kind)) return duration_s;
  double planting_s = 0;
  for (const uint64_t length_ns : phase.stalls.lengths_ns) {
    planting_s += (static_cast<double>(length_ns) * 1e-9 + kStallSpacing_s) * phase.stalls.repeats;
  }
  return static_cast<double>(phase.meters.size()) *
         (kMeterStartAndStop_s + planting_s * static_cast<double>(measured_cpus));
}

}  // namespace maxlat::rteval_ext
