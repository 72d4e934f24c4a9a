// SPDX-License-Identifier: MIT
#include <algorithm>
#include <maxlat/core/stats/cpu_books.hpp>

namespace maxlat::core {
namespace {

class BooksInNs {
 public:
  BooksInNs(const CpuBooks& books, const base::CounterClock& clock) : books_(books), clock_(clock) {}

  double ns(uint64_t ticks) const { return clock_.to_ns(static_cast<double>(ticks)); }
  Outlier outlier(const OutlierSample& sample) const {
    return {ns(sample.time - books_.time_zero), ns(sample.ticks), books_.cpu, {}};
  }
  Timeline timeline() const {
    Timeline timeline;
    timeline.step_s = ns(books_.journal.step_ticks()) / 1e9;
    const size_t steps = books_.journal.steps();
    for (size_t i = 0; i < steps; ++i) timeline.max_ns.push_back(ns(books_.journal.step_max(i)));
    return timeline;
  }

 private:
  const CpuBooks& books_;
  const base::CounterClock& clock_;
};

}  // namespace

CpuResult ended_cpu(const CpuBooks& books, const base::CounterClock& clock) {
  const BooksInNs scaled(books, clock);
  CpuResult result = cpu_result_from(books.cpu, books.histogram, clock, books.time_zero);
  result.exposure_s = scaled.ns(books.exposure_ticks) / 1e9;
  for (const OutlierSample& sample : books.journal.outliers().largest_first())
    result.outliers.push_back(scaled.outlier(sample));
  result.timeline = scaled.timeline();
  return result;
}

CpuResult running_cpu(const CpuBooks& books, const base::CounterClock& clock, size_t outliers) {
  const BooksInNs scaled(books, clock);
  const Journal& journal = books.journal;
  std::vector<OutlierSample> largest;
  for (size_t i = 0; i < journal.steps(); ++i) largest.push_back({journal.step_max(i), journal.step_time(i)});
  std::sort(largest.begin(), largest.end(), [](const auto& a, const auto& b) { return a.ticks > b.ticks; });
  const uint64_t max = largest.empty() ? 0 : largest.front().ticks;
  const auto growing = base::Histogram::copy_of_growing(books.histogram.raw(), max);
  CpuResult result = cpu_result_from(books.cpu, growing, clock, books.time_zero);
  result.exposure_s = scaled.ns(books.exposure_ticks) / 1e9;
  largest.resize(std::min(largest.size(), outliers));
  for (const auto& sample : largest)
    if (sample.ticks != 0) result.outliers.push_back(scaled.outlier(sample));
  result.timeline = scaled.timeline();
  return result;
}

RawGaps raw_gaps_of(const CpuBooks& books, const base::CounterClock& clock, uint64_t above_ns) {
  const BooksInNs scaled(books, clock);
  RawGaps raw{.cpu = books.cpu,
              .ticks_per_ns = clock.ticks_per_ns,
              .threshold_ns = static_cast<double>(above_ns),
              .watched_s = scaled.ns(books.exposure_ticks) / 1e9,
              .not_kept = books.journal.raw_not_kept()};
  for (const OutlierSample& gap : books.journal.raw())
    raw.gaps.push_back({scaled.ns(gap.time - books.time_zero), scaled.ns(gap.ticks)});
  return raw;
}

}  // namespace maxlat::core
