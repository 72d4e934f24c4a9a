// SPDX-License-Identifier: MIT
//
// One arm against another: what it adds, to the mean and to the tail, how sure that is, and in words.
//
// INPUT: the rounds of each arm, each with its whole histogram. Round i of both ran in the same round of the comparison
// (random order inside it), so round i is compared with round i (statistics.hpp: why).
//
// THE NOISE FLOOR is measured, not assumed: the base arm runs twice in every round, the second time under another name
// that the user does not see. What those two differ by is what the machine differs from itself, for each measure on its
// own.
//
// THE ANSWER, measure by measure
//   different     the exact signed-rank test over the rounds, corrected for all measures asked (Holm), is at or below
//                 0.05; and the difference is larger than the noise floor
//   same          the whole interval of the difference lies within the noise floor, where that is at most a tenth of
//                 the base's own figure (the median of its rounds), or within a hundredth of that figure
//   not shown     neither: there may be a difference or not. rounds_likely says how many rounds are likely to decide
//   undecided     fewer rounds than the test needs to call anything (rounds_needed: 8, for all six measures)
//   not measured  a quantile with fewer than ten samples beyond it in some round; a maximum of arms that were watched
//                 for times, and in numbers of samples, that are not alike (watched_alike). Not asked, so not
//                 corrected for
//
// Why ten: the quantile of a round is the sample of a whole rank. With k samples beyond the level it is really that of
// a level up to 1/k further out, and k is not the same in a fast arm and a slow one.
//
// The difference is the median over the rounds of what the two arms differ by in that round: one wild round does not
// move it. Its interval is that of a median (statistics.hpp: median_interval), and holds the true one in 95 % of cases
// with six rounds or more. (The percentiles of a bootstrap over the rounds, which it was, did so in 92 % with eight.)
#pragma once

#include <algorithm>
#include <maxlat/core/result/run_result.hpp>
#include <span>
#include <string>

namespace maxlat::core {

// Maxima grow with the time watched, and with the number of samples: of two times, or of two numbers, whether maxima
// compare. Neither is more than twice the other.
inline bool watched_alike(double one, double other) {
  return std::max(one, other) <= 2 * std::min(one, other);
}

// The same CPU's result in every round of one arm.
using Rounds = std::span<const CpuResult>;

struct ArmRounds {
  std::string name;
  Rounds rounds;
};

// The measures are mean, p50, p99.9, p99.99, p99.9999 and max, in this order. `gaps`: as in Phase::gaps.
// REQUIRES: as many rounds in each; samples in every round. `base_again`: the hidden second run of the base arm, or
// empty.
Comparison compare_rounds(const ArmRounds& base, const ArmRounds& arm, Rounds base_again, const std::string& gaps = {});

// Of one measure, for a table: "different", "not shown (30 rounds may)".
std::string verdict_text(const MeasureDifference& measure);

}  // namespace maxlat::core
