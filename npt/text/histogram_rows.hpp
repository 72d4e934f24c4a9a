// SPDX-License-Identifier: MIT
//
// npt's and cyclictest's histograms have rows of equal width; ours has log-linear buckets. A bucket goes to the row
// that holds its middle. So a row's borders are right to 0.1 % of their value (exact below 2048 ticks), and no count is
// lost: rows + overruns = samples.
#pragma once

#include <cstdint>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/histogram.hpp>
#include <vector>

namespace maxlat::npt {

struct HistogramRow {
  uint64_t value = 0;  // lower border, in row widths
  uint64_t count = 0;
};

struct HistogramRows {
  std::vector<HistogramRow> rows;  // ascending, without the empty ones
  uint64_t overruns = 0;           // samples of `limit` row widths and above
};

HistogramRows histogram_rows(const base::Histogram& histogram, const base::CounterClock& clock, double width_ns,
                             uint64_t limit);

}  // namespace maxlat::npt
