// SPDX-License-Identifier: MIT
//
// What n samples say of a quantile of what they were drawn from: two of the samples, so that the quantile lies between
// them with the confidence asked for. Free of any assumption on the distribution (David 2003, section 7.1): how many of
// n samples lie below the quantile is binomial, whatever the distribution is.
//
// TOO FEW. Above the p99.99 of 10 000 samples lies one of them on average, and often none: then even the largest
// is below it, and no sample is an upper end. It is absent then, never replaced by the maximum, and
// samples_for_upper_end() says how many samples have one.
//
// Samples that depend on one another tell less: where so many tell as much as one that is independent
// (sample_dependence.hpp), the ranks are those of so many fewer samples (Woodruff 1952). With 1, the samples are taken
// as independent; where they are not, the interval is too narrow.
#pragma once

#include <cstdint>
#include <maxlat/core/result/run_result.hpp>
#include <optional>

namespace maxlat::core {

// Ranks of sorted samples, from 1.
struct RankInterval {
  std::uint64_t low = 0;              // 0: no sample is a lower end
  std::optional<std::uint64_t> high;  // absent: no sample is an upper end
};
// REQUIRES: samples > 0; 0 < level < 1; 0 < confidence < 1.
RankInterval quantile_ranks(std::uint64_t samples, double level, double confidence);

// The fewest samples of which the largest is an upper end.
std::uint64_t samples_for_upper_end(double level, double confidence);

struct QuantileInterval {
  double low_ns = 0;              // an edge of a bin: at or below the sample of that rank
  std::optional<double> high_ns;  // at or above it, and never above the maximum; absent: too few samples
};
// REQUIRES: samples > 0 in `cpu`, and the others as above; samples_for_one >= 1.
QuantileInterval quantile_interval(const CpuResult& cpu, double level, double confidence, double samples_for_one = 1);

}  // namespace maxlat::core
