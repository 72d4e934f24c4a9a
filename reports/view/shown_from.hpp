// SPDX-License-Identifier: MIT
//
// What compared builds and a series of runs call a difference: the same for both.
#pragma once

namespace maxlat::reports {

inline constexpr double kWorthTelling = 1.1;  // as a ratio: smaller ones are of no use to anybody
inline constexpr double kCriesWolf = 0.05;  // of comparisons, or series, in which nothing differs: all figures together

}  // namespace maxlat::reports
