// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <maxlat/core/stats/block_bootstrap.hpp>
#include <numeric>
#include <vector>

namespace maxlat::core {
namespace {

std::vector<double> centred(std::span<const double> series) {
  const double mean = std::accumulate(series.begin(), series.end(), 0.0) / static_cast<double>(series.size());
  std::vector<double> rest(series.begin(), series.end());
  for (double& value : rest) value -= mean;
  return rest;
}

// Of lags 0 to `lags`.
std::vector<double> autocovariances(const std::vector<double>& rest, std::size_t lags) {
  std::vector<double> all;
  for (std::size_t lag = 0; lag <= lags; ++lag)
    all.push_back(std::inner_product(rest.begin() + static_cast<std::ptrdiff_t>(lag), rest.end(), rest.begin(), 0.0) /
                  static_cast<double>(rest.size()));
  return all;
}

// The lag from which on nothing is seen of the past: the first that is followed by `quiet` correlations in the noise;
// where there is none, the last that is not in it.
std::size_t last_dependent_lag(const std::vector<double>& covariances, std::size_t quiet, double noise) {
  std::size_t lag = 0;
  for (std::size_t i = 1; i < covariances.size() && i <= lag + quiet; ++i)
    if (std::abs(covariances[i]) >= noise * covariances[0]) lag = i;
  return lag;
}

}  // namespace

double block_length(std::span<const double> series) {
  const auto n = static_cast<double>(series.size());
  const double digits = std::log10(n);
  const double quiet = std::max(5.0, std::ceil(std::sqrt(digits)));
  const double longest = std::ceil(std::min(3 * std::sqrt(n), n / 3));
  const auto lags = static_cast<std::size_t>(std::min(n - 1, 2 * (std::ceil(std::sqrt(n)) + quiet)));
  const std::vector<double> covariances = autocovariances(centred(series), lags);
  if (!(covariances[0] > 0)) return 1;
  const auto dependent = last_dependent_lag(covariances, static_cast<std::size_t>(quiet), 2 * std::sqrt(digits / n));
  const std::size_t window = std::min(2 * std::max<std::size_t>(dependent, 1), lags);
  double spectrum = covariances[0], slope = 0;  // at frequency 0, by the flat-top window of the paper
  for (std::size_t lag = 1; lag <= window; ++lag) {
    const double at = static_cast<double>(lag) / static_cast<double>(window);
    const double both = 2 * std::min(1.0, 2 * (1 - at)) * covariances[lag];
    spectrum += both;
    slope += static_cast<double>(lag) * both;
  }
  if (!(spectrum > 0)) return 1;
  return std::clamp(std::cbrt(slope * slope / (spectrum * spectrum) * n), 1.0, std::max(longest, 1.0));
}

// Politis 1994, Lemma 1, of a ring: the covariance of lag i counts (1 - i/n) (1 - 1/length)^i times, in either
// direction. Summed for each value over all that follow it, from the last to the first.
double variance_of_drawn_sum(std::span<const double> series, double length) {
  const std::vector<double> rest = centred(series);
  const std::size_t n = rest.size();
  const double q = 1 - 1 / length, round = std::pow(q, static_cast<double>(n));
  const auto count = static_cast<double>(n);
  double following = 0, by_lag = 0, power = 1;  // sums of q^i x and of i q^i x over the values i further on
  for (std::size_t i = 1; i < n; ++i) {
    power *= q;
    following += power * rest[i - 1];  // behind the last value is the first
    by_lag += static_cast<double>(i) * power * rest[i - 1];
  }
  double sum = 0;
  for (std::size_t at = n; at-- > 0;) {
    sum += rest[at] * (rest[at] + 2 * (following - by_lag / count));
    const double next = q * (rest[at] + following);  // for the value before; it does not follow itself
    const std::size_t before = at > 0 ? at - 1 : n - 1;
    by_lag = next + q * by_lag - count * round * rest[before];
    following = next - round * rest[before];
  }
  return std::max(sum, 0.0);
}

}  // namespace maxlat::core
