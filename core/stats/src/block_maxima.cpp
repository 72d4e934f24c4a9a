// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <maxlat/core/stats/block_maxima.hpp>
#include <maxlat/core/stats/pareto_tail.hpp>
#include <maxlat/core/stats/statistics.hpp>
#include <vector>

namespace maxlat::core {
namespace {

constexpr std::size_t kMostBlocks = 100, kLeastStepsOfBlock = 10;
constexpr std::size_t kDrawsOfLevel = 500;
constexpr double kGumbel = 1e-6;  // shapes this near to 0 are 0

// Of a block, from the mean number of exceedances in it: -ln of the probability that there is none.
double level_of(const ExtremeValues& distribution, double expected) {
  const double y = -std::log(expected);
  if (std::abs(distribution.shape) < kGumbel) return distribution.location + distribution.scale * y;
  return distribution.location + distribution.scale * std::expm1(distribution.shape * y) / distribution.shape;
}

}  // namespace

double exceeded_with(const ExtremeValues& distribution, double probability) {
  return level_of(distribution, -std::log1p(-probability));
}

std::optional<ExtremeValues> fit_extreme_values(std::span<const double> ascending) {
  const auto n = static_cast<double>(ascending.size());
  double b0 = 0, b1 = 0, b2 = 0;
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const auto below = static_cast<double>(i);
    b0 += ascending[i];
    b1 += ascending[i] * below / (n - 1);
    b2 += ascending[i] * below * (below - 1) / ((n - 1) * (n - 2));
  }
  b0 /= n, b1 /= n, b2 /= n;
  if (!(2 * b1 - b0 > 0) || !(3 * b2 - b0 > 0)) return {};
  const double c = (2 * b1 - b0) / (3 * b2 - b0) - std::log(2) / std::log(3);
  double k = 7.8590 * c + 2.9554 * c * c;  // Hosking's shape is the negative of ours
  if (!(k > -0.99)) return {};
  if (std::abs(k) < kGumbel) k = k < 0 ? -kGumbel : kGumbel;
  const double gamma = std::tgamma(1 + k);
  ExtremeValues fit;
  fit.shape = -k;
  fit.scale = (2 * b1 - b0) * k / (gamma * -std::expm1(-k * std::log(2)));
  fit.location = b0 + fit.scale * (gamma - 1) / k;
  return fit;
}

std::optional<BlockLevel> block_level(std::span<const double> maxima, double period_steps, std::uint64_t seed) {
  BlockLevel result;
  result.steps_each = std::max(kLeastStepsOfBlock, maxima.size() / kMostBlocks);
  std::vector<double> largest;  // of each whole block
  for (std::size_t first = 0; first + result.steps_each <= maxima.size(); first += result.steps_each)
    largest.push_back(*std::max_element(maxima.begin() + static_cast<std::ptrdiff_t>(first),
                                        maxima.begin() + static_cast<std::ptrdiff_t>(first + result.steps_each)));
  result.blocks = largest.size();
  std::sort(largest.begin(), largest.end());
  const std::optional<ExtremeValues> fit = fit_extreme_values(largest);
  if (!fit) return {};
  result.fit = *fit;
  const double expected = static_cast<double>(result.steps_each) / period_steps;
  result.level = level_of(*fit, expected);

  std::mt19937_64 random(seed);
  std::vector<double> levels;
  for (std::size_t draw = 0; draw < kDrawsOfLevel; ++draw) {
    for (double& value : largest) value = level_of(*fit, -std::log(uniform_draw(random)));
    std::sort(largest.begin(), largest.end());
    if (const auto again = fit_extreme_values(largest)) levels.push_back(level_of(*again, expected));
  }
  if (levels.size() < kDrawsOfLevel / 2) return {};
  result.interval = middle_95(levels);
  return result;
}

}  // namespace maxlat::core
