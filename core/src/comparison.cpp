// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <maxlat/core/comparison.hpp>
#include <maxlat/core/duration.hpp>
#include <random>

namespace maxlat::core {
namespace {

constexpr double kAlpha = 0.05;
constexpr std::size_t kDraws = 2000;

struct Measure {
  const char* name;
  const char* in_words;
};
constexpr std::array<Measure, 6> kMeasures{{{"mean", "on average"},
                                            {"p50", "at the median"},
                                            {"p99.9", "at 99.9 %"},
                                            {"p99.99", "at 99.99 %"},
                                            {"p99.9999", "at 99.9999 %"},
                                            {"max", "in the maximum"}}};
constexpr std::array<double, 4> kLevels{0.5, 0.999, 0.9999, 0.999999};
using Values = std::array<double, kMeasures.size()>;

Values values_of(const CpuResult& cpu) {
  const auto at = [&](std::size_t level) { return quantile_of(cpu, kLevels[level]); };
  return {cpu.mean_ns, at(0), at(1), at(2), at(3), cpu.max_ns};
}

double median(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// What two arms differ by, measure by measure.
struct Differences {
  std::array<std::vector<double>, kMeasures.size()> by_round;
  std::array<Interval, kMeasures.size()> interval;  // of their median
};

Differences differences_of(Rounds base, Rounds arm, std::mt19937_64& random) {
  Differences result;
  for (std::size_t round = 0; round < base.size(); ++round) {
    const Values before = values_of(base[round]), after = values_of(arm[round]);
    for (std::size_t m = 0; m < kMeasures.size(); ++m) result.by_round[m].push_back(after[m] - before[m]);
  }
  std::array<std::vector<double>, kMeasures.size()> medians;
  std::uniform_int_distribution<std::size_t> any(0, base.size() - 1);
  std::vector<std::size_t> chosen(base.size());
  std::vector<double> drawn(base.size());
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    std::generate(chosen.begin(), chosen.end(), [&] { return any(random); });
    for (std::size_t m = 0; m < kMeasures.size(); ++m) {
      std::transform(chosen.begin(), chosen.end(), drawn.begin(),
                     [&](std::size_t round) { return result.by_round[m][round]; });
      medians[m].push_back(median(drawn));
    }
  }
  for (std::size_t m = 0; m < kMeasures.size(); ++m) result.interval[m] = middle_95(medians[m]);
  return result;
}

std::string listed(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : ", ") + parts[i];
  return text;
}

std::string in_words(const Comparison& comparison) {
  const std::string rounds = fmt::format("({} rounds)", comparison.rounds);
  if (comparison.rounds < comparison.rounds_needed)
    return fmt::format("no verdict on {} against {}: {} rounds, {} are needed", comparison.arm, comparison.base,
                       comparison.rounds, comparison.rounds_needed);
  std::vector<std::string> adds, saves;
  for (std::size_t m = 0; m < kMeasures.size(); ++m) {
    const MeasureDifference& measure = comparison.measures[m];
    if (measure.verdict != MeasureDifference::Verdict::different) continue;
    (measure.difference_ns > 0 ? adds : saves)
        .push_back(latency_text(std::abs(measure.difference_ns)) + " " + kMeasures[m].in_words);
  }
  std::string text = comparison.arm;
  if (!adds.empty()) text += " adds " + listed(adds);
  if (!saves.empty()) text += (adds.empty() ? " saves " : " and saves ") + listed(saves);
  if (adds.empty() && saves.empty())
    text = fmt::format("no difference between {} and {}", comparison.arm, comparison.base);
  const MeasureDifference& max = comparison.measures.back();
  if (max.verdict == MeasureDifference::Verdict::same && max.noise_floor_ns) {
    // The difference of one maximum may be large and still say nothing: then the test did not see it again and again.
    const bool below = std::abs(max.difference_ns) <= *max.noise_floor_ns;
    text += below ? "; the maximum differs by less than the noise floor of " + latency_text(*max.noise_floor_ns)
                  : "; the maximum differs, but not in enough rounds to be called a difference";
  }
  return text + " " + rounds;
}

}  // namespace

Comparison compare_rounds(const std::string& base_name, Rounds base, const std::string& arm_name, Rounds arm,
                          Rounds base_again, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const CpuResult all_base = merged(base), all_arm = merged(arm);
  const Differences differences = differences_of(base, arm, random);
  const Values base_values = values_of(all_base), arm_values = values_of(all_arm);

  std::vector<double> p;
  for (const auto& by_round : differences.by_round) p.push_back(signed_rank_p(by_round));
  const std::vector<double> corrected = holm(p);

  Comparison comparison{.name = {},
                        .base = base_name,
                        .arm = arm_name,
                        .rounds = base.size(),
                        .rounds_needed = rounds_needed(kAlpha, kMeasures.size()),
                        .measures = {},
                        .difference_of_means_ns = {},
                        .verdict = {}};
  std::optional<Differences> noise;
  if (!base_again.empty()) noise = differences_of(base, base_again, random);
  for (std::size_t m = 0; m < kMeasures.size(); ++m) {
    MeasureDifference measure{.measure = kMeasures[m].name,
                              .base_ns = base_values[m],
                              .arm_ns = arm_values[m],
                              .difference_ns = median(differences.by_round[m]),
                              .interval_ns = differences.interval[m],
                              .p = corrected[m],
                              .noise_floor_ns = {}};
    if (noise) measure.noise_floor_ns = std::max(std::abs(noise->interval[m].low), std::abs(noise->interval[m].high));
    if (comparison.rounds >= comparison.rounds_needed) {
      const bool above_noise = std::abs(measure.difference_ns) > measure.noise_floor_ns.value_or(0);
      measure.verdict =
          measure.p <= kAlpha && above_noise ? MeasureDifference::Verdict::different : MeasureDifference::Verdict::same;
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

CpuResult merged(Rounds rounds) {
  CpuResult all = rounds.front();
  all.timeline.max_ns.clear();
  std::vector<Moments> parts;
  all.bins.clear();
  all.overflow.clear();
  all.outliers.clear();
  all.quantiles_ns.clear();
  all.samples = all.overflow_count = 0;
  all.exposure_s = 0;
  for (const CpuResult& round : rounds) {
    all.samples += round.samples;
    all.exposure_s += round.exposure_s;
    all.overflow_count += round.overflow_count;
    all.min_ns = std::min(all.min_ns, round.min_ns);
    all.max_ns = std::max(all.max_ns, round.max_ns);
    all.bins.insert(all.bins.end(), round.bins.begin(), round.bins.end());
    all.overflow.insert(all.overflow.end(), round.overflow.begin(), round.overflow.end());
    all.outliers.insert(all.outliers.end(), round.outliers.begin(), round.outliers.end());
    parts.push_back({round.mean_ns, round.stddev_ns, static_cast<double>(round.samples)});
  }
  const Moments moments = pooled(parts);
  all.mean_ns = moments.mean;
  all.stddev_ns = moments.stddev;
  // Bins of one histogram layout either are the same or do not meet; a clock calibrated anew for each round moves their
  // edges by parts in a million, so the lower one decides and the upper one gives way.
  std::sort(all.bins.begin(), all.bins.end(), [](const Bin& a, const Bin& b) { return a.low_ns < b.low_ns; });
  std::vector<Bin> bins;
  for (const Bin& bin : all.bins) {
    if (!bins.empty() && bin.low_ns < (bins.back().low_ns + bins.back().high_ns) / 2) {
      bins.back().count += bin.count;
      bins.back().high_ns = std::max(bins.back().high_ns, bin.high_ns);
      continue;
    }
    if (!bins.empty() && bin.low_ns < bins.back().high_ns) bins.back().high_ns = bin.low_ns;
    bins.push_back(bin);
  }
  all.bins = std::move(bins);
  std::sort(all.outliers.begin(), all.outliers.end(),
            [](const Outlier& a, const Outlier& b) { return a.latency_ns > b.latency_ns; });
  const std::size_t kept = rounds.front().outliers.size();
  if (all.outliers.size() > kept) all.outliers.resize(kept);
  for (const QuantileLevel& quantile : kQuantileLevels)
    all.quantiles_ns.emplace_back(quantile.label, quantile_of(all, quantile.level));
  return all;
}

}  // namespace maxlat::core
