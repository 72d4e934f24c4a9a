// SPDX-License-Identifier: MIT
#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <maxlat/core/stats/pareto_tail.hpp>
#include <numeric>

namespace maxlat::core {
namespace {

constexpr double kExponential = 1e-6;  // shapes this near to 0 are 0: log1p(x) is x then, to a millionth
constexpr double kHighest = 1e9;       // theta of excesses with mean 1, when nearly all of them are next to nothing
constexpr int kBits = 20;              // of the search, relative

// Of log(1 + theta y). A logarithm for eight of them: the fit is made thousands of times by a bootstrap. Each factor is
// within 1e-16 .. 1e16, so that their product is no overflow.
double mean_log(std::span<const double> excesses, double theta) {
  double sum = 0;
  for (std::size_t first = 0; first < excesses.size(); first += 8) {
    double product = 1;
    const std::size_t end = std::min(first + 8, excesses.size());
    for (std::size_t i = first; i < end; ++i) product *= std::max(1 + theta * excesses[i], 1e-16);
    sum += std::log(product);
  }
  return sum / static_cast<double>(excesses.size());
}

// The theta of which mean_log() is `shape`, which rises with theta, between two that enclose it.
double theta_of(std::span<const double> excesses, double shape, double low, double high) {
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    (mean_log(excesses, middle) < shape ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double exponential_of(const ParetoTail& tail, double y) {
  const double z = y / tail.scale;
  if (std::abs(tail.shape) < kExponential) return z;
  if (1 + tail.shape * z <= 0) return std::numeric_limits<double>::infinity();
  return std::log1p(tail.shape * z) / tail.shape;
}

double excess_of(const ParetoTail& tail, double e) {
  if (std::abs(tail.shape) < kExponential) return tail.scale * e;
  return tail.scale * std::expm1(tail.shape * e) / tail.shape;
}

double log_likelihood(const ParetoTail& tail, std::span<const double> excesses) {
  const auto n = static_cast<double>(excesses.size());
  if (std::abs(tail.shape) < kExponential)
    return -n * std::log(tail.scale) - std::accumulate(excesses.begin(), excesses.end(), 0.0) / tail.scale;
  const double theta = tail.shape / tail.scale;
  if (1 + theta * *std::max_element(excesses.begin(), excesses.end()) <= 0)
    return -std::numeric_limits<double>::infinity();
  return -n * (std::log(tail.scale) + (1 + 1 / tail.shape) * mean_log(excesses, theta));
}

ParetoFit fit_pareto(std::span<const double> excesses) {
  const double mean = std::accumulate(excesses.begin(), excesses.end(), 0.0) / static_cast<double>(excesses.size());
  const double largest = *std::max_element(excesses.begin(), excesses.end());
  const auto tail_at = [&](double theta) {
    const double shape = mean_log(excesses, theta);
    if (std::abs(shape) < kExponential) return ParetoTail{0, mean};
    return ParetoTail{shape, shape / theta};
  };
  double high = 1 / mean;
  while (high < kHighest / mean && mean_log(excesses, high) < kGreatestShape) high *= 2;
  const double least = theta_of(excesses, kLeastShape, -1 / largest, 0);
  const double greatest = theta_of(excesses, kGreatestShape, 0, high);
  // Per excess, the likelihood of a theta with its best shape is -(log scale + shape + 1).
  const auto cost = [&](double theta) {
    const ParetoTail tail = tail_at(theta);
    return std::log(tail.scale) + tail.shape + 1;
  };
  const double best = boost::math::tools::brent_find_minima(cost, least, greatest, kBits).first;
  ParetoFit fit;
  fit.tail = tail_at(best);
  fit.log_likelihood = -static_cast<double>(excesses.size()) * cost(best);
  fit.at_bound = fit.tail.shape < kLeastShape + 0.01 || fit.tail.shape > kGreatestShape - 0.01;
  return fit;
}

double uniform_draw(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
}

std::vector<double> draw_excesses(const ParetoTail& tail, std::size_t count, std::mt19937_64& random) {
  std::vector<double> excesses(count);
  for (double& excess : excesses) excess = excess_of(tail, -std::log(uniform_draw(random)));
  return excesses;
}

}  // namespace maxlat::core
