// SPDX-License-Identifier: MIT
#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <maxlat/core/stats/series_checks.hpp>
#include <numeric>

namespace maxlat::core {

double ljung_box_p(std::span<const double> series, std::size_t lags) {
  const auto n = static_cast<double>(series.size());
  const double mean = std::accumulate(series.begin(), series.end(), 0.0) / n;
  const auto product_at = [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t i = lag; i < series.size(); ++i) sum += (series[i] - mean) * (series[i - lag] - mean);
    return sum;
  };
  const double squares = product_at(0);
  if (!(squares > 0)) return 1;
  double q = 0;
  for (std::size_t lag = 1; lag <= lags; ++lag) {
    const double correlation = product_at(lag) / squares;
    q += correlation * correlation / (n - static_cast<double>(lag));
  }
  const boost::math::chi_squared limit(static_cast<double>(lags));
  return boost::math::cdf(boost::math::complement(limit, n * (n + 2) * q));
}

double mann_kendall_p(std::span<const double> series) {
  const auto n = static_cast<double>(series.size());
  double rising = 0;
  std::map<double, double> tied;
  for (std::size_t i = 0; i < series.size(); ++i) {
    ++tied[series[i]];
    for (std::size_t j = i + 1; j < series.size(); ++j)
      rising += series[j] > series[i] ? 1 : series[j] < series[i] ? -1 : 0;
  }
  const auto pairs_variance = [](double count) { return count * (count - 1) * (2 * count + 5) / 18; };
  double variance = pairs_variance(n);
  for (const auto& [value, count] : tied) variance -= pairs_variance(count);
  if (!(variance > 0)) return 1;
  const double size = std::max(0.0, std::abs(rising) - 1) / std::sqrt(variance);  // 1: of continuity
  return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), size));
}

double evenly_spread_p(std::span<const double> sorted) {
  const auto n = static_cast<double>(sorted.size());
  double distance = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto below = static_cast<double>(i);
    distance = std::max({distance, sorted[i] - below / n, (below + 1) / n - sorted[i]});
  }
  return kolmogorov_p((std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance);
}

double kolmogorov_p(double distance) {
  if (distance < 0.3) return 1;  // the series below does not converge there, and is 1 to five digits
  double p = 0;
  for (int j = 1; j <= 100; ++j) p += (j % 2 == 1 ? 2 : -2) * std::exp(-2.0 * j * j * distance * distance);
  return std::clamp(p, 0.0, 1.0);
}

}  // namespace maxlat::core
