// SPDX-License-Identifier: MIT
//
// Where a series changed: at which values it became greater or smaller and stayed so for a while.
//
// By ranks, because one wild value must not be a change: at each place the ranks before it are summed, and the greatest
// distance of that sum from what it should be is judged (Pettitt 1979; the limit is Kolmogorov's, and the variance is
// that of the ranks as they are, so that ties do no harm). Where a series is found to change it is cut, and each part
// is asked again (binary segmentation). There is nothing random in it.
//
// A series that does not change is cut in one of a hundred, whatever its distribution. Values that depend on one
// another (a slow oscillation) do change, and are cut more often.
#pragma once

#include <cstddef>
#include <maxlat/core/result/interval.hpp>
#include <span>
#include <vector>

namespace maxlat::core {

struct ChangePoint {
  std::size_t at = 0;                          // index of the first value behind the change
  double p = 1;                                // of a part that did not change
  double median_before = 0, median_after = 0;  // of the parts that it lies between
};

// In their order; each part has kLeastOfPart values at least, so a series of fewer than twice as many has none.
inline constexpr std::size_t kLeastOfPart = 5;
std::vector<ChangePoint> change_points(std::span<const double> series);

// The fewest values in which a change can be found with a p of at most this: the clearest there is, in the middle, with
// every value behind it above all before it. REQUIRES: 0 < p.
std::size_t fewest_for_change(double p);

}  // namespace maxlat::core
