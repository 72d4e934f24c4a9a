// SPDX-License-Identifier: MIT
#include "reading/foreign_histogram.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace maxlat::importing {
namespace {

core::Error wrong(const ForeignHistogram& histogram, const std::string& what) {
  return {.text = histogram.who + " " + what};
}

core::Result<std::vector<core::Bin>> bins_of_rows(const ForeignHistogram& histogram) {
  auto rows = histogram.rows;
  std::sort(rows.begin(), rows.end());
  std::vector<core::Bin> bins;
  const std::pair<double, uint64_t>* before = nullptr;
  for (const auto& row : rows) {
    if (before != nullptr && before->first == row.first)
      return wrong(histogram, fmt::format("has the row {} twice", row.first));
    before = &row;
    const double low_ns = row.first * histogram.unit_ns, high_ns = (row.first + histogram.width) * histogram.unit_ns;
    if (row.second > 0) bins.push_back({low_ns, high_ns, row.second});
  }
  return bins;
}

core::Result<uint64_t> count_in(const ForeignHistogram& histogram) {
  uint64_t sum = 0;
  for (const auto& [value, count] : histogram.rows)
    if (__builtin_add_overflow(sum, count, &sum)) return wrong(histogram, "counts more than 64 bits hold");
  return sum;
}

// Those in the rows and those beyond them, as far as the file tells both.
core::Result<uint64_t> all_samples(const ForeignHistogram& histogram, uint64_t in_rows) {
  if (histogram.samples && !histogram.overflow) {
    if (in_rows <= *histogram.samples) return *histogram.samples;
    return wrong(histogram, fmt::format("counts {} in its histogram but only {} in all", in_rows, *histogram.samples));
  }
  const uint64_t beyond = histogram.overflow.value_or(0);
  uint64_t sum = 0;
  if (__builtin_add_overflow(in_rows, beyond, &sum)) return wrong(histogram, "counts more than 64 bits hold");
  if (!histogram.samples || *histogram.samples == sum) return sum;
  return wrong(histogram, fmt::format("counts {} in its histogram and {} beyond it, but {} in all", in_rows, beyond,
                                      *histogram.samples));
}

}  // namespace

core::Result<core::CpuResult> cpu_result_of(const ForeignHistogram& histogram) {
  if (histogram.samples == 0) return wrong(histogram, "took no sample");
  core::Result<std::vector<core::Bin>> bins = bins_of_rows(histogram);
  if (!bins) return bins.error();
  const core::Result<uint64_t> in_rows = count_in(histogram);
  if (!in_rows) return in_rows.error();
  const core::Result<uint64_t> samples = all_samples(histogram, *in_rows);
  if (!samples) return samples.error();
  if (*samples == 0) return wrong(histogram, "took no sample");

  core::CpuResult cpu;
  cpu.cpu = histogram.cpu;
  cpu.bins = *std::move(bins);
  cpu.overflow_count = *samples - *in_rows;
  if (cpu.overflow_count > 0 && !histogram.max)
    return wrong(histogram,
                 fmt::format("counts {} beyond its histogram, and does not tell the maximum", cpu.overflow_count));
  if (histogram.max) {
    cpu.max_ns = *histogram.max * histogram.unit_ns;
    cpu.min_ns = cpu.bins.empty() ? 0 : cpu.bins.front().low_ns;
  }
  core::fill_statistics_from_bins(cpu);
  if (histogram.min) cpu.min_ns = *histogram.min * histogram.unit_ns;
  // The meter's own, where it has some: they include what is beyond the histogram, which the bins' cannot.
  if (histogram.mean) cpu.mean_ns = *histogram.mean * histogram.unit_ns;
  if (histogram.stddev) cpu.stddev_ns = *histogram.stddev * histogram.unit_ns;
  return cpu;
}

}  // namespace maxlat::importing
