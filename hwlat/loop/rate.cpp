// SPDX-License-Identifier: MIT
#include "rate.hpp"

#include <boost/math/distributions/chi_squared.hpp>

namespace maxlat::hwlat {

Rate rate_of(uint64_t events, double watched_s) {
  const double hours = watched_s / 3600;
  const auto n = static_cast<double>(events);
  Rate rate;
  rate.per_hour = n / hours;
  // The interval of a Poisson mean from quantiles of chi squared (Garwood 1936).
  using boost::math::chi_squared;
  using boost::math::quantile;
  if (events == 0) {
    rate.high_per_hour = quantile(chi_squared(2), 0.95) / 2 / hours;
  } else {
    rate.low_per_hour = quantile(chi_squared(2 * n), 0.025) / 2 / hours;
    rate.high_per_hour = quantile(chi_squared(2 * n + 2), 0.975) / 2 / hours;
  }
  return rate;
}

}  // namespace maxlat::hwlat
