// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <maxlat/core/stats/change_points.hpp>
#include <maxlat/core/stats/series_checks.hpp>
#include <maxlat/core/stats/statistics.hpp>
#include <numeric>

#include "mid_ranks.hpp"

namespace maxlat::core {
namespace {

constexpr double kChangeAlpha = 0.01;

// Mid-ranks from their mean.
std::vector<double> centred_ranks(std::span<const double> values) {
  std::vector<double> ranks;
  for (const std::size_t doubled : doubled_mid_ranks(values))
    ranks.push_back(static_cast<double>(doubled) / 2 - static_cast<double>(values.size() + 1) / 2);
  return ranks;
}

// The place of the largest change, and how likely it is in a part that does not change.
ChangePoint largest_change(std::span<const double> part) {
  const std::vector<double> ranks = centred_ranks(part);
  const double squares = std::inner_product(ranks.begin(), ranks.end(), ranks.begin(), 0.0);
  ChangePoint change;
  if (!(squares > 0)) return change;
  double sum = 0, farthest = 0;
  for (std::size_t i = 0; i + 1 < part.size(); ++i) {
    sum += ranks[i];
    if (i + 1 < kLeastOfPart || part.size() - i - 1 < kLeastOfPart || std::abs(sum) <= farthest) continue;
    farthest = std::abs(sum);
    change.at = i + 1;
  }
  change.p = kolmogorov_p(farthest / std::sqrt(squares));
  return change;
}

void cut(std::span<const double> series, std::size_t first, std::size_t end, std::vector<ChangePoint>& found) {
  if (end - first < 2 * kLeastOfPart) return;
  ChangePoint change = largest_change(series.subspan(first, end - first));
  if (change.p > kChangeAlpha) return;
  change.at += first;
  cut(series, first, change.at, found);
  found.push_back(change);
  cut(series, change.at, end, found);
}

double median_between(std::span<const double> series, std::size_t first, std::size_t end) {
  const auto part = series.subspan(first, end - first);
  return median({part.begin(), part.end()});
}

}  // namespace

// Of n values that only rise, the ranks of the first k are k (n - k) / 2 from where they should be, and the squares of
// all from their mean are n (n^2 - 1) / 12: as largest_change() has it of such a series.
std::size_t fewest_for_change(double p) {
  std::size_t fewest = 2 * kLeastOfPart;
  for (;; ++fewest) {
    const auto n = static_cast<double>(fewest), k = std::floor(n / 2);
    if (kolmogorov_p(k * (n - k) / 2 / std::sqrt(n * (n * n - 1) / 12)) <= std::min(p, kChangeAlpha)) return fewest;
  }
}

std::vector<ChangePoint> change_points(std::span<const double> series) {
  std::vector<ChangePoint> found;
  cut(series, 0, series.size(), found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i].median_before = median_between(series, i == 0 ? 0 : found[i - 1].at, found[i].at);
    found[i].median_after = median_between(series, found[i].at, i + 1 < found.size() ? found[i + 1].at : series.size());
  }
  return found;
}

}  // namespace maxlat::core
