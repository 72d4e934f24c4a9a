// SPDX-License-Identifier: MIT
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <maxlat/core/stats/statistics.hpp>
#include <numeric>

#include "mid_ranks.hpp"

namespace maxlat::core {
namespace {

constexpr double kTail = 0.025;
constexpr double kMisses = 0.2;  // of rounds_to_show: in one of five

// The normal quantile that is exceeded with this probability.
double z_of(double beyond) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), beyond));
}

// That the median lies between the values of rank `depth` from either end: that as many or more lie on both its sides.
double covered_between(std::size_t depth, std::size_t count) {
  const auto d = static_cast<double>(depth), n = static_cast<double>(count);
  return 1 - 2 * boost::math::ibeta(n - d + 1, d, 0.5);
}

}  // namespace

Interval difference_of_means(const Moments& a, const Moments& b) {
  const double z = z_of(kTail);
  const double difference = b.mean - a.mean;
  const double half = z * std::sqrt(a.stddev * a.stddev / a.samples + b.stddev * b.stddev / b.samples);
  return {difference - half, difference + half};
}

double signed_rank_p(std::span<const double> differences) {
  std::vector<double> magnitudes;
  std::vector<bool> positive;
  for (const double difference : differences) {
    if (difference == 0) continue;
    magnitudes.push_back(std::abs(difference));
    positive.push_back(difference > 0);
  }
  if (magnitudes.empty()) return 1;
  const std::vector<std::size_t> ranks = doubled_mid_ranks(magnitudes);
  const std::size_t all = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::size_t up = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) up += positive[i] ? ranks[i] : 0;

  // probability[s]: that the ranks of the positive ones add up to s, when each sign is the toss of a coin.
  std::vector<double> probability(all + 1, 0);
  probability[0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t sum = all + 1; sum-- > 0;) {
      probability[sum] = (probability[sum] + (sum >= rank ? probability[sum - rank] : 0)) / 2;
    }
  }
  const std::size_t smaller = std::min(up, all - up);
  const double tail =
      std::accumulate(probability.begin(), probability.begin() + static_cast<std::ptrdiff_t>(smaller) + 1, 0.0);
  return std::min(1.0, 2 * tail);
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> corrected(p.size());
  double least = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    least = std::max(least, std::min(1.0, p[order[i]] * static_cast<double>(p.size() - i)));
    corrected[order[i]] = least;
  }
  return corrected;
}

std::size_t rounds_needed(double alpha, std::size_t questions) {
  std::size_t rounds = 1;
  while (std::ldexp(2.0, -static_cast<int>(rounds)) * static_cast<double>(questions) > alpha) ++rounds;
  return rounds;
}

// The power of the signed rank hangs on one figure: how likely the sum of two rounds' differences is above zero. Half
// of a pair whose sum is zero lies above.
double rounds_to_show(std::span<const double> differences, double alpha) {
  double above = 0, pairs = 0;
  for (std::size_t i = 0; i < differences.size(); ++i)
    for (std::size_t j = i + 1; j < differences.size(); ++j, ++pairs) {
      const double sum = differences[i] + differences[j];
      above += sum > 0 ? 1 : sum == 0 ? 0.5 : 0;
    }
  const double off_centre = above / pairs - 0.5, z = z_of(alpha / 2) + z_of(kMisses);
  return z * z / (3 * off_centre * off_centre);
}

double median(std::vector<double> values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*std::max_element(values.begin(), upper) + *upper) / 2;
}

Interval median_interval(std::vector<double> values) {
  constexpr double kCovered = 1 - 2 * kTail;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  if (covered_between(1, n) <= kCovered) return {values.front(), values.back()};
  std::size_t depth = 1;  // the innermost pair that still covers enough
  while (covered_between(depth + 1, n) > kCovered) ++depth;
  const double wide = covered_between(depth, n), narrow = covered_between(depth + 1, n);
  // Hettmansperger's weight of the narrower pair. Exact for one distribution (Laplace's), and near for the others.
  const double way = (wide - kCovered) / (wide - narrow), d = static_cast<double>(depth);
  const double inner = (static_cast<double>(n) - d) * way / (d + (static_cast<double>(n) - 2 * d) * way);
  return {std::lerp(values[depth - 1], values[depth], inner),
          std::lerp(values[n - depth], values[n - depth - 1], inner)};
}

Interval middle_95(std::span<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double level) {
    return values[static_cast<std::size_t>(std::lround(level * static_cast<double>(values.size() - 1)))];
  };
  return {at(kTail), at(1 - kTail)};
}

}  // namespace maxlat::core
