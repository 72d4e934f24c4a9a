// SPDX-License-Identifier: MIT

#include <algorithm>
#include <maxlat/npt/arm_tail.hpp>

namespace maxlat::npt {
namespace {

// Gaps in `all` that are in none of the paths. Both were filed in the same buckets, so the difference is exact; its
// moments are those of the buckets, its maximum is exact where it is that of all.
base::Histogram rest_of(const base::Histogram& all, const std::vector<PathGaps>& paths) {
  base::Histogram rest = all;
  uint64_t told_max = 0;
  for (const PathGaps& path : paths) {
    told_max = std::max(told_max, path.gaps.max());
    for (uint32_t i = 0; i < MAXLAT_HISTOGRAM_BUCKETS; ++i) {
      uint64_t& left = rest.raw().bucket[i];
      left -= std::min(left, path.gaps.raw().bucket[i]);
    }
  }
  rest.raw().overflow_count = 0;  // beyond the range there was no event in the gap (loop.hpp)
  return base::Histogram::copy_of_growing(rest.raw(), told_max < all.max() ? all.max() : 0);
}

void enter_path(const std::string& name, bool rare, const base::Histogram& gaps, const base::CounterClock& clock,
                core::Phase& phase) {
  if (gaps.total() > 0) phase.paths.push_back({name, rare, core::cpu_result_from(0, gaps, clock)});
}

void enter_story(const OutlierStory& story, const core::OutlierSample& sample, const base::CounterClock& clock,
                 core::Outlier& outlier) {
  outlier.path = story.path;
  if (outlier.cause.empty()) outlier.cause = story.cause;
  for (const TracedEvent& event : story.events) {
    const double after_ns = clock.to_ns(static_cast<double>(static_cast<int64_t>(event.time - sample.time)));
    outlier.events.push_back({outlier.t_ns + after_ns, event.name, event.fields, event.path});
  }
}

}  // namespace

void enter_tail(const ArmTail& tail, const ArmRun& run, const base::Histogram& with_events,
                const base::CounterClock& clock, core::Phase& phase) {
  for (const PathGaps& path : tail.paths) enter_path(path.name, path.rare, path.gaps, clock, phase);
  enter_path(tail.untold, false, rest_of(with_events, tail.paths), clock, phase);
  for (size_t i = 0; i < tail.stories.size(); ++i) {
    std::vector<core::Outlier>& outliers = phase.per_cpu[i].outliers;
    for (size_t j = 0; j < outliers.size() && j < tail.stories[i].size(); ++j)
      enter_story(tail.stories[i][j], run.threads[i].outliers[j], clock, outliers[j]);
  }
}

}  // namespace maxlat::npt
