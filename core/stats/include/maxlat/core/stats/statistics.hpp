// SPDX-License-Identifier: MIT
//
// The statistics of a comparison, and nothing else: small functions with known answers.
//
// Two arms are measured in the same rounds, one after the other, in random order. What is compared is therefore PAIRED:
// the drift of the machine from round to round is in both and cancels. A round is the unit of evidence, not a sample:
// the ten million gaps of one round share one machine state, and a test that takes them as independent finds a
// difference between any two runs of the same thing. The interval of Desnoyers 2009 for the difference of two means
// does take them so; it is given because papers give it, and no verdict rests on it.
//
// SOURCES: Desnoyers 2009, section 8.4 (difference_of_means); Wilcoxon 1945, ties by mid-ranks, zeros left out, the
// exact distribution by counting (signed_rank_p); Holm 1979 (holm); Noether 1987 (rounds_to_show); Hettmansperger 1986
// (median_interval).
#pragma once

#include <cstddef>
#include <cstdint>
#include <maxlat/core/result/interval.hpp>
#include <maxlat/core/result/merge.hpp>
#include <span>
#include <vector>

namespace maxlat::core {

// 95 % interval of b's mean minus a's: difference -+ z sqrt(s1^2/n1 + s2^2/n2). It covers the truth in 95 % of cases
// where samples are independent and many; where rounds differ it does so in few. REQUIRES: samples > 0 in both.
Interval difference_of_means(const Moments& a, const Moments& b);

// Two-sided p of "the differences lie around zero", exact. 1 when all of them are zero.
double signed_rank_p(std::span<const double> differences);

// p values corrected for having asked several questions at once, in the order given.
std::vector<double> holm(std::span<const double> p);

// The fewest rounds in which signed_rank_p, corrected for `questions`, can fall below `alpha` at all.
std::size_t rounds_needed(double alpha, std::size_t questions);

// In how many rounds signed_rank_p is likely (four times in five) to fall below `alpha`, when further rounds are like
// these. Infinite when as many pairs of rounds lie above zero as below. REQUIRES: two or more.
double rounds_to_show(std::span<const double> differences, double alpha);

// The middle value, or the mean of the two in the middle. REQUIRES: not empty.
double median(std::vector<double> values);

// 95 % interval of the median of what these values were drawn from, independently, whatever the distribution is. Pairs
// of order statistics have coverages that lie apart (of eight values, the outermost pair 99.2 %, the next 93.0 %); this
// one lies between two of them, so that 95 % is covered. Of fewer than six values even the outermost pair has less: it
// is taken, and covers 50, 75, 87.5 and 93.75 % of two to five. REQUIRES: not empty.
Interval median_interval(std::vector<double> values);

// The interval that holds the middle 95 % of the values. REQUIRES: not empty. Reorders them.
Interval middle_95(std::span<double> values);

}  // namespace maxlat::core
