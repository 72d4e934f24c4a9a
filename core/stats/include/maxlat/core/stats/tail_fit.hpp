// SPDX-License-Identifier: MIT
//
// What a run says of latencies that it was too short to meet: peaks over a threshold, and the checks without which they
// say nothing.
//
// THE SERIES is the largest latency of each step of the time line, one second mostly, over all CPUs of the phase. Not
// the samples: those of one disturbance come together, and a fit that took each of them for evidence of its own would
// be far too sure. The largest of a second are further apart, and they are in the order of time, so that it can be seen
// whether one depends on the next.
//
// THE FIT is of the largest tenth of the steps, 50 to 400 of them: what they exceed their threshold by is generalised
// Pareto (pareto_tail.hpp).
//
// THE CHECKS come first, and one that fails ends in a refusal, a sentence that says why. Six questions are asked, so
// their p are corrected (Holm 1979): a sound series is refused in one of twenty.
//   independence   exceedances do not come in clusters or at a rhythm: Ljung 1978, over ten lags
//   even rate      they are spread evenly over the time: Kolmogorov's test
//   even size      they become neither greater nor smaller with time: Mann 1945
//   fit            they are distributed as the tail that was fitted: Anderson 1952
//   no gap         their sizes leave no gap that one tail does not leave: two kinds of disturbance apart
//   one tail       the mixture of two exponentials is not much more likely: a rare kind of disturbance with a long tail
//                  among the frequent ones
// The last three have no distribution in a book once the parameters are of the same data: it is drawn, with a seed that
// is given, from the tail that was fitted (parametric bootstrap; Besag 1991 says when enough was drawn).
//
// HOW GOOD, of simulated hours and the level of a day (tail_fit_test.cpp): the interval holds the truth in 94 of 100;
// stalls of one length in 3 of 1000 seconds, and a second tail ten times as long in 3 of 100, are nearly always
// refused. In 1 of 100 seconds such a tail is refused in three of four hours, and its level is too low otherwise.
//
// WHAT NO CHECK SEES is what the run does not hold. A disturbance that comes once a week has no sample in an hour.
#pragma once

#include <cstdint>
#include <maxlat/core/result/interval.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/stats/block_maxima.hpp>
#include <maxlat/core/stats/pareto_tail.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::core {

struct TailCheck {
  const char* name = "";
  const char* claim = "";  // what it finds no reason to doubt, when it holds
  double p = 1;            // corrected
  bool holds() const { return p > 0.05; }
};

struct TailFit {
  std::vector<double> maxima_ns;  // of the steps with samples, in the order of time
  double step_s = 0;
  double threshold_ns = 0;
  std::vector<double> excesses_ns;  // ascending
  ParetoTail tail;
  std::vector<TailCheck> checks;  // those that could be made
  std::string refusal;            // one sentence; empty: the tail may be used
};

TailFit fit_tail(const Timeline& timeline, std::uint64_t seed);

// The level that is exceeded in one step of so many, on average, with its 95 % interval, of profile likelihood (Coles
// 2001, sections 2.6.5 and 4.3.3): it is as lopsided as what is known. The share of steps that exceed the threshold is
// not taken as known either.
struct ReturnLevel {
  double level_ns = 0;
  Interval interval_ns;
  std::optional<BlockLevel> blocks;  // the same of block maxima, as a second opinion; absent: they have no fit
};
// REQUIRES: an accepted fit. ERRORS, as sentences: a period in which the threshold is hardly exceeded twice, or one of
// more than a hundred times the run; an interval that has no upper end; block maxima whose interval lies apart.
Result<ReturnLevel> return_level(const TailFit& fit, double period_s);

}  // namespace maxlat::core
