// SPDX-License-Identifier: MIT
//
// The other way to a tail: the largest latency of each block of time is distributed, in the limit, as one of three
// families that are one formula, the generalised extreme value distribution. No family is forced: a Gumbel (shape 0)
// that is assumed makes a heavy tail look harmless.
//
// It takes fewer values than peaks over threshold (tail_fit.hpp), so that its interval is wider. What it is good for is
// that it shares no threshold and no fit with them: where the two contradict each other, neither is to be believed.
//
// THE FIT is of probability-weighted moments (Hosking 1985): in closed form, and with so few blocks as there are (50 to
// 100) better than maximum likelihood. THE INTERVAL is of the parametric bootstrap with a seed that is given.
#pragma once

#include <cstdint>
#include <maxlat/core/result/interval.hpp>
#include <optional>
#include <span>

namespace maxlat::core {

struct ExtremeValues {
  double location = 0;
  double scale = 1;
  double shape = 0;  // > 0: heavy
};

// The value that the largest of a block exceeds with this probability.
double exceeded_with(const ExtremeValues& distribution, double probability);
// Nothing where the moments are of no such distribution (all values equal). REQUIRES: ascending, ten or more.
std::optional<ExtremeValues> fit_extreme_values(std::span<const double> ascending);

struct BlockLevel {
  std::size_t blocks = 0;
  std::size_t steps_each = 0;
  ExtremeValues fit;
  double level = 0;   // exceeded in one step of so many, on average
  Interval interval;  // 95 %
};
// Of a series of maxima in the order of time, cut into 50 to 100 blocks. REQUIRES: 500 values or more; a period
// of more steps than a block has.
std::optional<BlockLevel> block_level(std::span<const double> maxima, double period_steps, std::uint64_t seed);

}  // namespace maxlat::core
