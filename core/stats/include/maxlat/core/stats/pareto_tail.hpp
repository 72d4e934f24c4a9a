// SPDX-License-Identifier: MIT
//
// The generalised Pareto distribution of what lies beyond a high threshold (Pickands 1975): the limit that excesses of
// nearly every distribution come to, as the Gaussian is that of sums. Two parameters, and the probability that an
// excess is greater than y is
//
//     (1 + shape y / scale)^(-1 / shape)        and exp(-y / scale) at shape 0
//
// shape > 0: a heavy tail, worse by a factor with every decade of time; 0: exponential, worse by the same amount; < 0:
// a tail that ends, at scale / -shape.
//
// THE FIT is of maximum likelihood, by Grimshaw 1993: with theta = shape / scale the best shape is the mean of
// log(1 + theta y), so that one parameter is searched and not two. Maximum likelihood, and not probability-weighted
// moments, because the interval of a return level is of the same likelihood (tail_fit.hpp), and because it is the
// better one from some 50 excesses on. Shapes are kept within [-0.5, 1]: below, the likelihood has no proper maximum;
// above, excesses have no mean and no run is long enough.
#pragma once

#include <random>
#include <span>
#include <vector>

namespace maxlat::core {

inline constexpr double kLeastShape = -0.5, kGreatestShape = 1;

struct ParetoTail {
  double shape = 0;
  double scale = 1;  // in the unit of the excesses, > 0
};

// -ln of the probability that an excess is greater than y: exponential of mean 1, whatever the tail. Infinite beyond
// the end of a tail that has one. REQUIRES: y >= 0.
double exponential_of(const ParetoTail& tail, double y);
// The excess of which exponential_of() is e.
double excess_of(const ParetoTail& tail, double e);

double log_likelihood(const ParetoTail& tail, std::span<const double> excesses);

struct ParetoFit {
  ParetoTail tail;
  double log_likelihood = 0;
  bool at_bound = false;  // the likelihood still rises at the least or the greatest shape
};
// REQUIRES: two excesses or more, all > 0.
ParetoFit fit_pareto(std::span<const double> excesses);

// The same draws with every standard library.
double uniform_draw(std::mt19937_64& random);  // in (0, 1)
std::vector<double> draw_excesses(const ParetoTail& tail, std::size_t count, std::mt19937_64& random);

}  // namespace maxlat::core
