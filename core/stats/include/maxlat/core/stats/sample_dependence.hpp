// SPDX-License-Identifier: MIT
//
// How much the samples beyond a value depend on one another: so many of them tell as much as one that is independent.
// (The design effect of sampling surveys; the interval of a quantile that has it is that of Woodruff 1952.)
//
// A run keeps a histogram and the maximum of each step of its time line, so the order of its samples is not known, but
// it is known of each step whether it holds a sample beyond the value. Two things are seen of that:
//   within steps   the samples beyond are more than the steps let expect: they come together. Disturbances begin at
//                  random, so there are -ln(1 - share of steps) of them in a step. How many samples each holds is
//                  geometric, as if it went on after each with the same chance: of disturbances with `size` samples on
//                  average, 2 size - 1 samples tell as much as one that is independent.
//   between steps  steps that hold one follow one another: the variance of their number in a block bootstrap, with
//                  blocks as long as the series asks for (block_bootstrap.hpp), over that of independent steps. All
//                  CPUs are drawn together, so that what stops them together is seen, too.
// The result is the product, and never below 1.
//
// NOT SEEN is what the steps do not tell: dependence of the samples that nearly every step holds (the median), a single
// disturbance that is far larger than the others at this value, one that lasts longer than the blocks can be.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <span>
#include <string>

namespace maxlat::core {

struct SampleDependence {
  double samples_for_one = 1;
  std::string assumed_because{};  // not "": they are taken as independent, for this
};

// Of the samples in the bin that holds `ns` and beyond; `all` is per_cpu, merged.
SampleDependence dependence_beyond(const CpuResult& all, std::span<const CpuResult> per_cpu, double ns);

}  // namespace maxlat::core
