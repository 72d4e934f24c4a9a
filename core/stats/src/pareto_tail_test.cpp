// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <maxlat/core/stats/pareto_tail.hpp>

namespace maxlat::core {
namespace {

TEST(ParetoTail, IsItsFormula) {
  // Shape 0.5, scale 2: (1 + 0.25 y)^-2 is 1/4 at y = 4.
  EXPECT_NEAR(exponential_of({0.5, 2}, 4), std::log(4), 1e-12);
  EXPECT_NEAR(exponential_of({0, 2}, 4), 2, 1e-12);
  EXPECT_NEAR(exponential_of({-0.25, 2}, 4), 4 * std::log(2), 1e-12);
  EXPECT_EQ(exponential_of({-0.25, 2}, 8), INFINITY);  // it ends there
  // The density of the first at 4: scale^-1 (1 + shape y / scale)^(-1/shape - 1).
  const std::vector<double> one = {4};
  EXPECT_NEAR(log_likelihood({0.5, 2}, one), std::log(std::pow(2, -3) / 2), 1e-12);
  EXPECT_NEAR(log_likelihood({0, 2}, one), -2 - std::log(2), 1e-12);
  EXPECT_EQ(log_likelihood({-0.25, 2}, std::vector<double>{9}), -INFINITY);
}

TEST(ParetoTail, ExcessAndProbabilityAreInverse) {
  for (const ParetoTail tail : {ParetoTail{0.3, 5}, ParetoTail{0, 5}, ParetoTail{-0.4, 5}, ParetoTail{1e-9, 5}})
    for (const double e : {0.01, 1.0, 7.0}) EXPECT_NEAR(exponential_of(tail, excess_of(tail, e)), e, 1e-7);
}

// The exponential's own maximum of likelihood is the mean; nothing near the fit is more likely.
TEST(FitPareto, IsTheMostLikelyTail) {
  std::mt19937_64 random(1);
  for (const double shape : {-0.3, 0.0, 0.25, 0.6}) {
    const std::vector<double> excesses = draw_excesses({shape, 700}, 200, random);
    const ParetoFit fit = fit_pareto(excesses);
    EXPECT_NEAR(fit.log_likelihood, log_likelihood(fit.tail, excesses), 1e-6);
    for (const double shift : {-0.02, 0.02}) {
      EXPECT_GT(fit.log_likelihood, log_likelihood({fit.tail.shape + shift, fit.tail.scale}, excesses));
      EXPECT_GT(fit.log_likelihood, log_likelihood({fit.tail.shape, fit.tail.scale * (1 + shift)}, excesses));
    }
  }
}

TEST(FitPareto, FindsTheTailItWasDrawnFrom) {
  std::mt19937_64 random(2);
  for (const double shape : {-0.3, 0.0, 0.25, 0.6}) {
    const ParetoFit fit = fit_pareto(draw_excesses({shape, 700}, 20'000, random));
    const double error = (1 + shape) / std::sqrt(20'000);  // of the shape, as the books have it
    EXPECT_NEAR(fit.tail.shape, shape, 4 * error);
    EXPECT_NEAR(fit.tail.scale, 700, 4 * 700 * std::sqrt(2 * (1 + shape) / 20'000));
    EXPECT_FALSE(fit.at_bound);
  }
}

TEST(FitPareto, DoesNotDependOnTheUnit) {
  std::mt19937_64 random(3);
  std::vector<double> excesses = draw_excesses({0.2, 1}, 100, random);
  const ParetoTail in_us = fit_pareto(excesses).tail;
  for (double& excess : excesses) excess *= 1e3;
  const ParetoTail in_ns = fit_pareto(excesses).tail;
  EXPECT_NEAR(in_us.shape, in_ns.shape, 1e-3);
  EXPECT_NEAR(in_us.scale * 1e3, in_ns.scale, 1);
}

TEST(FitPareto, SaysWhereItWasStopped) {
  std::vector<double> even(100), giants(100, 1e-9);
  for (std::size_t i = 0; i < even.size(); ++i) even[i] = static_cast<double>(i) + 1;  // uniform: shape -1
  std::fill(giants.begin() + 50, giants.end(), 1e9);
  for (const auto& excesses : {even, giants}) {
    const ParetoFit fit = fit_pareto(excesses);
    EXPECT_TRUE(fit.at_bound);
    EXPECT_TRUE(std::isfinite(fit.tail.shape) && std::isfinite(fit.tail.scale) && fit.tail.scale > 0);
  }
  giants.assign(100, 1e-9);
  giants.back() = 1e9;
  for (const auto& odd : {std::vector<double>{5, 5}, giants}) EXPECT_TRUE(std::isfinite(fit_pareto(odd).tail.scale));
}

}  // namespace
}  // namespace maxlat::core
