// SPDX-License-Identifier: MIT
//
// Whether a series is what a fit takes it for: values that do not depend on one another, and come from the same
// distribution from the first to the last. Each answers with the p of "it is"; small means that it is not.
#pragma once

#include <cstddef>
#include <span>

namespace maxlat::core {

// Independence: the autocorrelations of lags 1 to `lags` together (Ljung 1978). 1 for a constant series.
// REQUIRES: more values than lags.
double ljung_box_p(std::span<const double> series, std::size_t lags);

// No trend: later values are neither mostly greater nor mostly smaller (Mann 1945), two-sided, ties counted as none.
// O(n^2): for hundreds of values. REQUIRES: three or more.
double mann_kendall_p(std::span<const double> series);

// Evenly spread over [0, 1]: the largest distance of the two distributions, Kolmogorov's limit with the correction of
// Stephens 1970 for few values. REQUIRES: sorted, not empty.
double evenly_spread_p(std::span<const double> sorted);

// That the largest distance of a Brownian bridge from 0 is greater: Kolmogorov's limit.
double kolmogorov_p(double distance);

}  // namespace maxlat::core
