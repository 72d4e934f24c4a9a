// SPDX-License-Identifier: MIT
//
// The histograms of several rounds over one common list of bins, so that any selection of rounds can be summed and
// asked for a quantile without building a histogram each time: the bootstrap does that two thousand times.
#pragma once

#include <cstdint>
#include <maxlat/core/run_result.hpp>
#include <maxlat/core/statistics.hpp>
#include <span>
#include <vector>

namespace maxlat::core {

class RoundsMatrix {
 public:
  explicit RoundsMatrix(std::span<const CpuResult> rounds);

  std::size_t rounds() const { return moments_.size(); }

  // Of the rounds named, each as often as it is named. REQUIRES: not empty.
  struct Pool {
    double mean = 0, max = 0;
    std::vector<double> quantiles;  // of the levels asked for
  };
  Pool pool(std::span<const std::size_t> chosen, std::span<const double> levels) const;

 private:
  std::vector<double> edges_;                       // upper edge of each bin, never above the largest sample
  std::vector<std::vector<std::uint64_t>> counts_;  // [round][bin], cumulative
  std::vector<Moments> moments_;
  std::vector<double> max_;
};

}  // namespace maxlat::core
