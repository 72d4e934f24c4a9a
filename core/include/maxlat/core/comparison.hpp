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
// A DIFFERENCE is called when both hold: the exact signed-rank test over the rounds, corrected for all measures asked
// (Holm), is at or below 0.05; and the difference is larger than the noise floor. With fewer rounds than the test needs
// (rounds_needed: 8 for six measures) no verdict is given, and the number needed is.
//
// The difference is the median over the rounds of what the two arms differ by in that round: one wild round does not
// move it. Its interval is of the paired bootstrap: rounds are drawn with replacement, the same for both arms, and the
// median is taken of those drawn. It describes; the test decides.
#pragma once

#include <cstdint>
#include <maxlat/core/run_result.hpp>
#include <span>
#include <string>

namespace maxlat::core {

// The same CPU's result in every round of one arm.
using Rounds = std::span<const CpuResult>;

// The measures are mean, p50, p99.9, p99.99, p99.9999 and max, in this order.
// REQUIRES: as many rounds in each; samples in every round. `base_again`: the hidden second run of the base arm, or
// empty. `seed`: of the bootstrap, so that a report can be made again.
Comparison compare_rounds(const std::string& base_name, Rounds base, const std::string& arm_name, Rounds arm,
                          Rounds base_again, std::uint64_t seed);

// All rounds as one result: bins, moments, quantiles, the largest outliers. REQUIRES: not empty.
CpuResult merged(Rounds rounds);

}  // namespace maxlat::core
