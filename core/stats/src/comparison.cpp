// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <maxlat/core/stats/comparison.hpp>
#include <maxlat/core/stats/statistics.hpp>
#include <optional>

#include "comparison_words.hpp"

namespace maxlat::core {
namespace {

constexpr double kAlpha = 0.05;
constexpr double kSamplesBeyond = 10;  // the header says why
constexpr double kCalm = 0.1;  // of the base's usual figure: a noise floor above it says that nothing can be seen
constexpr double kEquivalence = 0.01;  // of the base's usual figure: a difference that is none
using Called = MeasureDifference::Verdict;

// The measures: the mean, these quantiles, and the maximum.
struct Level {
  const char* label;
  double level;
};
constexpr std::array<Level, 4> kLevels{{{"p50", 0.5}, {"p99.9", 0.999}, {"p99.99", 0.9999}, {"p99.9999", 0.999999}}};
constexpr std::size_t kMean = 0, kMaximum = kLevels.size() + 1, kMeasures = kLevels.size() + 2;
using Values = std::array<double, kMeasures>;

const char* name_of_measure(std::size_t m) {
  return m == kMean ? "mean" : m == kMaximum ? "max" : kLevels[m - 1].label;
}

Values values_of(const CpuResult& cpu) {
  Values values;
  values[kMean] = cpu.mean_ns;
  for (std::size_t i = 0; i < kLevels.size(); ++i) values[i + 1] = quantile_of(cpu, kLevels[i].level);
  values[kMaximum] = cpu.max_ns;
  return values;
}

// By index. What the samples do not tell is not asked.
std::array<bool, kMeasures> measured_in(Rounds base, Rounds arm, Rounds base_again) {
  uint64_t fewest = UINT64_MAX;
  for (const Rounds rounds : {base, arm, base_again})
    for (const CpuResult& round : rounds) fewest = std::min(fewest, round.samples);
  std::array<bool, kMeasures> measured;
  measured.fill(true);
  for (std::size_t i = 0; i < kLevels.size(); ++i)
    measured[i + 1] = static_cast<double>(fewest) * (1 - kLevels[i].level) >= kSamplesBeyond * (1 - 1e-6);
  for (std::size_t i = 0; i < base.size(); ++i)
    measured[kMaximum] = measured[kMaximum] &&
                         (watched_alike(base[i].exposure_s, arm[i].exposure_s) ||
                          watched_alike(static_cast<double>(base[i].samples), static_cast<double>(arm[i].samples)));
  return measured;
}

// What two arms differ by, measure by measure.
struct Differences {
  std::array<std::vector<double>, kMeasures> by_round;
  std::array<Interval, kMeasures> interval;  // of their median
};

Differences differences_of(Rounds base, Rounds arm) {
  Differences result;
  for (std::size_t round = 0; round < base.size(); ++round) {
    const Values before = values_of(base[round]), after = values_of(arm[round]);
    for (std::size_t m = 0; m < kMeasures; ++m) result.by_round[m].push_back(after[m] - before[m]);
  }
  for (std::size_t m = 0; m < kMeasures; ++m) result.interval[m] = median_interval(result.by_round[m]);
  return result;
}

double larger_end(const Interval& interval) {
  return std::max(std::abs(interval.low), std::abs(interval.high));
}

// The base's figure of a usual round: the median, so that one wild round does not make everything the same.
Values usual_values(Rounds rounds) {
  std::array<std::vector<double>, kMeasures> all;
  for (const CpuResult& round : rounds) {
    const Values values = values_of(round);
    for (std::size_t m = 0; m < kMeasures; ++m) all[m].push_back(values[m]);
  }
  Values usual;
  for (std::size_t m = 0; m < kMeasures; ++m) usual[m] = median(std::move(all[m]));
  return usual;
}

Called verdict_on(const MeasureDifference& measure, double usual_ns) {
  const double floor_ns = measure.noise_floor_ns.value_or(0);
  if (measure.p <= kAlpha && std::abs(measure.difference_ns) > floor_ns) return Called::different;
  // A machine that differs from itself by half of a figure hides a difference: it does not make two arms alike.
  const double alike_ns = std::max(floor_ns <= kCalm * usual_ns ? floor_ns : 0, kEquivalence * usual_ns);
  const bool same = larger_end(measure.interval_ns) <= alike_ns;
  return same ? Called::same : Called::not_shown;
}

// How many rounds are likely to lead to a "different" or a "same"; 0: too many. Intervals, and with them the noise
// floor, shrink with the square root of the rounds; the hundredth of the base's figure does not.
uint64_t rounds_likely(const MeasureDifference& measure, double usual_ns, const std::vector<double>& by_round,
                       double alpha) {
  const auto now = static_cast<double>(by_round.size());
  const double size = std::abs(measure.difference_ns);
  const auto until = [&](double wide, double narrow) {
    return narrow > 0 ? now * (wide / narrow) * (wide / narrow) : INFINITY;
  };
  const double to_differ = std::max(rounds_to_show(by_round, alpha), until(measure.noise_floor_ns.value_or(0), size));
  const double half =
      std::max(measure.interval_ns.high - measure.difference_ns, measure.difference_ns - measure.interval_ns.low);
  const double to_be_same = until(half, kEquivalence * usual_ns - size);
  const double rounds = std::ceil(std::min(to_differ, to_be_same));
  if (!(rounds <= kMostRounds)) return 0;
  return std::max(static_cast<uint64_t>(rounds), static_cast<uint64_t>(by_round.size()) + 1);
}

}  // namespace

Comparison compare_rounds(const ArmRounds& base, const ArmRounds& arm, Rounds base_again, const std::string& gaps) {
  const CpuResult all_base = merged(base.rounds), all_arm = merged(arm.rounds);
  const Differences differences = differences_of(base.rounds, arm.rounds);
  const Values base_values = values_of(all_base), arm_values = values_of(all_arm), usual = usual_values(base.rounds);
  const std::array<bool, kMeasures> measured = measured_in(base.rounds, arm.rounds, base_again);
  std::optional<Differences> noise;
  if (!base_again.empty()) noise = differences_of(base.rounds, base_again);

  std::vector<double> p;
  for (std::size_t m = 0; m < kMeasures; ++m)
    if (measured[m]) p.push_back(signed_rank_p(differences.by_round[m]));
  const std::vector<double> corrected = holm(p);

  Comparison comparison;
  comparison.gaps = gaps;
  comparison.base = base.name;
  comparison.arm = arm.name;
  comparison.rounds = base.rounds.size();
  // Of all measures, also where some are not measured: how many rounds to ask for must not hang on how they turn out.
  comparison.rounds_needed = rounds_needed(kAlpha, kMeasures);
  auto next_p = corrected.begin();
  for (std::size_t m = 0; m < kMeasures; ++m) {
    MeasureDifference measure;
    measure.measure = name_of_measure(m);
    measure.verdict = Called::not_measured;
    if (measured[m]) {
      measure.base_ns = base_values[m];
      measure.arm_ns = arm_values[m];
      measure.difference_ns = median(differences.by_round[m]);
      measure.interval_ns = differences.interval[m];
      measure.p = *next_p++;
      if (noise) measure.noise_floor_ns = larger_end(noise->interval[m]);
      measure.verdict =
          comparison.rounds < comparison.rounds_needed ? Called::undecided : verdict_on(measure, usual[m]);
      if (measure.verdict == Called::not_shown)
        measure.rounds_likely =
            rounds_likely(measure, usual[m], differences.by_round[m], kAlpha / static_cast<double>(p.size()));
    }
    comparison.measures.push_back(std::move(measure));
  }
  const auto moments = [](const CpuResult& all) {
    return Moments{all.mean_ns, all.stddev_ns, static_cast<double>(all.samples)};
  };
  comparison.difference_of_means_ns = difference_of_means(moments(all_base), moments(all_arm));
  comparison.verdict = in_words(comparison);
  return comparison;
}

}  // namespace maxlat::core
