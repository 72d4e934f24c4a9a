// SPDX-License-Identifier: MIT
#include "phase_of_run.hpp"

#include <time.h>

#include <algorithm>

namespace maxlat::npt {
namespace {

struct Scale {
  const CpuRun& run;
  const base::CounterClock& clock;
  double ns(uint64_t ticks) const { return clock.to_ns(static_cast<double>(ticks)); }
  core::Outlier outlier(uint64_t ticks, uint64_t time) const {
    return {ns(time - run.journal.start()), ns(ticks), run.cpu, {}};
  }
};

core::Timeline timeline_of(const Journal& journal, const Scale& scale) {
  core::Timeline timeline;
  timeline.step_s = scale.ns(journal.step_ticks()) / 1e9;
  const size_t steps = journal.steps();
  for (size_t i = 0; i < steps; ++i) timeline.max_ns.push_back(scale.ns(journal.step_max(i)));
  return timeline;
}

}  // namespace

core::CpuResult cpu_result_of(const CpuRun& run, const base::CounterClock& clock) {
  const Scale scale{run, clock};
  core::CpuResult result = core::cpu_result_from(run.cpu, run.histogram, clock, run.journal.start());
  result.exposure_s = scale.ns(run.exposure_ticks) / 1e9;
  for (const core::OutlierSample& sample : run.journal.outliers().largest_first())
    result.outliers.push_back(scale.outlier(sample.ticks, sample.time));
  result.timeline = timeline_of(run.journal, scale);
  return result;
}

core::CpuResult cpu_snapshot_of(const CpuRun& run, const base::CounterClock& clock, size_t outliers) {
  const Scale scale{run, clock};
  const Journal& journal = run.journal;
  std::vector<core::OutlierSample> largest;
  for (size_t i = 0; i < journal.steps(); ++i) largest.push_back({journal.step_max(i), journal.step_time(i)});
  std::sort(largest.begin(), largest.end(), [](const auto& a, const auto& b) { return a.ticks > b.ticks; });
  const uint64_t max = largest.empty() ? 0 : largest.front().ticks;
  const auto growing = base::Histogram::copy_of_growing(run.histogram.raw(), max);
  core::CpuResult result = core::cpu_result_from(run.cpu, growing, clock, journal.start());
  // The loop's own books are in its registers. The gaps that are filed are the time that was watched.
  result.exposure_s = scale.ns(growing.raw().sum) / 1e9;
  largest.resize(std::min(largest.size(), outliers));
  for (const auto& sample : largest)
    if (sample.ticks != 0) result.outliers.push_back(scale.outlier(sample.ticks, sample.time));
  result.timeline = timeline_of(journal, scale);
  return result;
}

std::string utc_now() {
  const time_t now = ::time(nullptr);
  tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  const size_t length = ::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, length};
}

}  // namespace maxlat::npt
