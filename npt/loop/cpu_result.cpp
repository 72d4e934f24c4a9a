// SPDX-License-Identifier: MIT
#include "cpu_result.hpp"

#include <algorithm>

namespace maxlat::npt {
namespace {

struct Scale {
  const CpuRun& run;
  const base::CounterClock& clock;
  uint64_t time_zero;  // the counter at the start of the phase, a little before the start of this CPU

  Scale(const CpuRun& of, const base::CounterClock& by, uint64_t phase_start_ns)
      : run(of), clock(by), time_zero(of.journal.start() - by.to_ticks(of.start_monotonic_ns - phase_start_ns)) {}
  double ns(uint64_t ticks) const { return clock.to_ns(static_cast<double>(ticks)); }
  core::Outlier outlier(uint64_t ticks, uint64_t time) const { return {ns(time - time_zero), ns(ticks), run.cpu, {}}; }
};

core::Timeline timeline_of(const Journal& journal, const Scale& scale) {
  core::Timeline timeline;
  timeline.step_s = scale.ns(journal.step_ticks()) / 1e9;
  const size_t steps = journal.steps();
  for (size_t i = 0; i < steps; ++i) timeline.max_ns.push_back(scale.ns(journal.step_max(i)));
  return timeline;
}

}  // namespace

core::CpuResult cpu_result_of(const CpuRun& run, const base::CounterClock& clock, uint64_t phase_start_ns) {
  const Scale scale(run, clock, phase_start_ns);
  core::CpuResult result = core::cpu_result_from(run.cpu, run.histogram, clock, scale.time_zero);
  result.exposure_s = scale.ns(run.exposure_ticks) / 1e9;
  for (const core::OutlierSample& sample : run.journal.outliers().largest_first())
    result.outliers.push_back(scale.outlier(sample.ticks, sample.time));
  result.timeline = timeline_of(run.journal, scale);
  return result;
}

core::RawGaps raw_gaps_of(const CpuRun& run, const base::CounterClock& clock, uint64_t phase_start_ns,
                          uint64_t above_ns) {
  const Scale scale(run, clock, phase_start_ns);
  core::RawGaps raw{.cpu = run.cpu,
                    .ticks_per_ns = clock.ticks_per_ns,
                    .threshold_ns = static_cast<double>(above_ns),
                    .watched_s = scale.ns(run.exposure_ticks) / 1e9,
                    .not_kept = run.journal.raw_not_kept()};
  for (const core::OutlierSample& gap : run.journal.raw())
    raw.gaps.push_back({scale.ns(gap.time - scale.time_zero), scale.ns(gap.ticks)});
  return raw;
}

core::CpuResult cpu_snapshot_of(const CpuRun& run, const base::CounterClock& clock, uint64_t phase_start_ns,
                                size_t outliers) {
  const Scale scale(run, clock, phase_start_ns);
  const Journal& journal = run.journal;
  std::vector<core::OutlierSample> largest;
  for (size_t i = 0; i < journal.steps(); ++i) largest.push_back({journal.step_max(i), journal.step_time(i)});
  std::sort(largest.begin(), largest.end(), [](const auto& a, const auto& b) { return a.ticks > b.ticks; });
  const uint64_t max = largest.empty() ? 0 : largest.front().ticks;
  const auto growing = base::Histogram::copy_of_growing(run.histogram.raw(), max);
  core::CpuResult result = core::cpu_result_from(run.cpu, growing, clock, scale.time_zero);
  // The loop's own books are in its registers. The gaps that are filed are the time that was watched.
  result.exposure_s = scale.ns(growing.raw().sum) / 1e9;
  largest.resize(std::min(largest.size(), outliers));
  for (const auto& sample : largest)
    if (sample.ticks != 0) result.outliers.push_back(scale.outlier(sample.ticks, sample.time));
  result.timeline = timeline_of(journal, scale);
  return result;
}

}  // namespace maxlat::npt
