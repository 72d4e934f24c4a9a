// SPDX-License-Identifier: MIT
//
// The bootstrap of a series whose values depend on one another: whole blocks are drawn, so that what follows what is
// kept within them. It is the stationary one (Politis 1994): blocks begin anywhere, the end of the series is followed
// by its beginning, and lengths are geometric. Of a sum its variance is known without drawing: no draws, no seed.
#pragma once

#include <span>

namespace maxlat::core {

// The mean length of blocks, from how far the series depends on its past (Politis 2004, with the correction of Patton
// 2009): 1 at the least, and at most a third of the series. REQUIRES: two values or more.
double block_length(std::span<const double> series);

// Of the sum of a series that is drawn anew in such blocks. A length of 1 is the bootstrap of independent values.
// O(n). REQUIRES: two values or more; length >= 1.
double variance_of_drawn_sum(std::span<const double> series, double length);

}  // namespace maxlat::core
