// SPDX-License-Identifier: MIT
#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/binomial.hpp>
#include <cmath>
#include <maxlat/core/stats/repeats.hpp>
#include <maxlat/core/stats/statistics.hpp>
#include <numeric>
#include <vector>

#include "mid_ranks.hpp"

namespace maxlat::core {
namespace {

constexpr double kMissed = 0.05;  // of differences of the size that is stated

// Twice all mid-ranks, ascending, and twice the sum of those of the base's values.
struct DoubledRanks {
  std::vector<std::size_t> all;
  std::size_t of_base = 0;
};

DoubledRanks doubled_ranks_of(std::span<const double> base, std::span<const double> other) {
  std::vector<double> values(base.begin(), base.end());
  values.insert(values.end(), other.begin(), other.end());
  DoubledRanks ranks{.all = doubled_mid_ranks(values)};
  for (std::size_t i = 0; i < base.size(); ++i) ranks.of_base += ranks.all[i];
  std::sort(ranks.all.begin(), ranks.all.end());
  return ranks;
}

// Of all ways to choose the base's values among all, the share whose rank sum is as far from the middle as this one.
double mann_whitney_p(const DoubledRanks& ranks, std::size_t base_size) {
  const std::size_t total = std::accumulate(ranks.all.begin(), ranks.all.end(), std::size_t{0});
  // ways[k][s]: to choose k of the values seen so far with the doubled rank sum s. A double counts beyond 2^53 with an
  // error that does not matter to a p.
  std::vector<std::vector<double>> ways(base_size + 1, std::vector<double>(total + 1, 0));
  ways[0][0] = 1;
  for (const std::size_t rank : ranks.all)
    for (std::size_t k = base_size; k >= 1; --k)
      for (std::size_t sum = total; sum >= rank; --sum) ways[k][sum] += ways[k - 1][sum - rank];
  const double middle =
      static_cast<double>(total) * static_cast<double>(base_size) / static_cast<double>(ranks.all.size());
  const double distance = std::abs(static_cast<double>(ranks.of_base) - middle) - 1e-6;
  double far = 0, all = 0;
  for (std::size_t sum = 0; sum <= total; ++sum) {
    all += ways[base_size][sum];
    if (std::abs(static_cast<double>(sum) - middle) >= distance) far += ways[base_size][sum];
  }
  return std::min(1.0, far / all);
}

// The same for many values: the rank sum is nearly normal then. Its deviation is smaller where values are tied.
double mann_whitney_p_of_many(const DoubledRanks& ranks, std::size_t base_size) {
  const auto n = static_cast<double>(ranks.all.size()), base = static_cast<double>(base_size);
  double ties = 0;
  for (std::size_t first = 0; first < ranks.all.size();) {
    std::size_t end = first + 1;
    while (end < ranks.all.size() && ranks.all[end] == ranks.all[first]) ++end;
    const auto tied = static_cast<double>(end - first);
    ties += tied * tied * tied - tied;
    first = end;
  }
  const double variance = base * (n - base) / 12 * (n + 1 - ties / (n * (n - 1)));
  if (!(variance > 0)) return 1;  // all are tied
  const double distance = std::abs(static_cast<double>(ranks.of_base) / 2 - base * (n + 1) / 2);
  const double corrected = std::max(0.0, distance - 0.5) / std::sqrt(variance);
  return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), corrected));
}

}  // namespace

GroupDifference difference_of_groups(std::span<const double> base, std::span<const double> other) {
  std::vector<double> differences;
  double greater = 0;
  for (const double before : base)
    for (const double after : other) {
      differences.push_back(after - before);
      greater += after > before ? 1 : after == before ? 0.5 : 0;
    }
  GroupDifference result;
  result.share_greater = greater / static_cast<double>(differences.size());
  result.shift = median(std::move(differences));
  const DoubledRanks ranks = doubled_ranks_of(base, other);
  result.p = ranks.all.size() <= kMostExactRanks ? mann_whitney_p(ranks, base.size())
                                                 : mann_whitney_p_of_many(ranks, base.size());
  return result;
}

std::size_t repeats_needed(double alpha) {
  unsigned each = 1;
  while (2 / boost::math::binomial_coefficient<double>(2 * each, each) > alpha) ++each;
  return each;
}

// Of normal noise the ranks see pi/3 times the variance that a mean would (their efficiency is 3/pi).
std::optional<double> smallest_difference(std::span<const double> repeats, std::size_t each, double alpha,
                                          double noisier) {
  if (each < repeats_needed(alpha)) return {};
  const auto n = static_cast<double>(repeats.size());
  const double mean = std::accumulate(repeats.begin(), repeats.end(), 0.0) / n;
  double squares = 0;
  for (const double value : repeats) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / boost::math::quantile(boost::math::chi_squared(n - 1), noisier));
  const auto beyond = [](double probability) {
    return boost::math::quantile(boost::math::complement(boost::math::normal(), probability));
  };
  return (beyond(alpha / 2) + beyond(kMissed)) * deviation *
         std::sqrt(2 / static_cast<double>(each) * boost::math::constants::pi<double>() / 3);
}

}  // namespace maxlat::core
