// SPDX-License-Identifier: MIT
//
// Repeated runs: how much a figure differs though nothing was changed, and what difference so many repeats can find.
//
// One figure of each run (its p99.99, its maximum) is one value. Runs of two builds are not paired, as rounds are
// (statistics.hpp): they were made at different times. So two groups are compared by their ranks (Mann 1947), exactly
// up to sixty values and with ties; what is said of the size of the difference is the median of all differences between
// the groups (Hodges 1963), which one wild run does not move.
//
// THE SMALLEST DIFFERENCE THAT CAN BE FOUND follows from the noise of repeats. It is found in 19 of 20 comparisons,
// because a gate that misses every fifth regression is no gate; and the noise is taken at the upper end of what so few
// repeats allow (four times in five it is less), because five runs do not know their own deviation. A tail's noise is
// not normal, and a figure of it is of few samples: whoever asks about one takes a higher end.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace maxlat::core {

struct GroupDifference {
  double shift = 0;            // median of (other - base) over all pairs
  double share_greater = 0.5;  // of the pairs: the other's value is the greater one; ties count half
  double p = 1;                // two-sided, of "no difference"
};
// REQUIRES: neither is empty. Of more than kMostExactRanks values together p is that of the normal distribution, which
// is then near.
inline constexpr std::size_t kMostExactRanks = 60;
GroupDifference difference_of_groups(std::span<const double> base, std::span<const double> other);

// What `each` repeats of either build find, at this level of significance: the size of the shift, up or down. Nothing
// when so few repeats cannot be significant at all. REQUIRES: two values or more; 0 < alpha < 1.
// `noisier`: how likely it is that the noise is greater than it is taken for.
inline constexpr double kNoisier = 0.2, kNoisierOfTails = 0.1;
std::optional<double> smallest_difference(std::span<const double> repeats, std::size_t each, double alpha,
                                          double noisier = kNoisier);

// The fewest repeats of either build that can be significant.
std::size_t repeats_needed(double alpha);

}  // namespace maxlat::core
