// SPDX-License-Identifier: MIT
#include "noise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <maxlat/core/stats/repeats.hpp>
#include <maxlat/core/stats/statistics.hpp>
#include <nlohmann/json.hpp>

namespace maxlat::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A run of 100 000 samples, one of them the maximum.
core::Phase run_with(double p50_ns, double max_ns) {
  core::Phase phase;
  phase.name = phase.kind = "npt";
  phase.status = core::PhaseStatus::ok;
  core::CpuResult cpu;
  cpu.bins = {{p50_ns, p50_ns + 1, 99'999}, {max_ns, max_ns + 1, 1}};
  cpu.exposure_s = 10;
  core::fill_statistics_from_bins(cpu);
  phase.per_cpu = {cpu};
  phase.exposure_s = cpu.exposure_s;
  return phase;
}

PhaseNoise noise_of_runs(const std::vector<core::Phase>& runs) {
  std::vector<const core::Phase*> repeats;
  for (const core::Phase& run : runs) repeats.push_back(&run);
  return noise_of(repeats, 0.95);
}

const NoiseRow& row_of(const PhaseNoise& noise, const std::string& measure) {
  return *std::find_if(noise.rows.begin(), noise.rows.end(), [&](const auto& row) { return row.measure == measure; });
}

TEST(Noise, IsThatOfTheMeasuresThatEveryRunHas) {
  std::vector<core::Phase> runs;
  for (const double max_ns : {9000, 9500, 8800, 9900, 9200, 9100, 9600}) runs.push_back(run_with(100, max_ns));
  const PhaseNoise noise = noise_of_runs(runs);
  ASSERT_EQ(noise.rows.size(), 7u);  // p50 to p99.999, and max; p99.9999 is not measured
  EXPECT_EQ(noise.rows.back().measure, "max");
  EXPECT_EQ(noise.needed, 6u);                  // 2 of 924 is below 0.05 / 7
  EXPECT_EQ(row_of(noise, "p50").found_ns, 1);  // the same in all runs, and a bin is 1 ns wide
  const NoiseRow max = row_of(noise, "max");
  std::vector<double> logarithms;
  for (const double ns : max.values_ns) logarithms.push_back(std::log(ns));
  const double ratio = std::exp(*core::smallest_difference(logarithms, 7, 0.05 / 7, core::kNoisierOfTails));
  EXPECT_NEAR(*max.found_ns, core::median(max.values_ns) * (ratio - 1), 1e-6);
  EXPECT_LT(*max.found_with_twice_ns, *max.found_ns);
  const std::string text = noise_text(noise);
  EXPECT_THAT(text, HasSubstr("npt: 7 runs, taken as repeats of the same"));
  EXPECT_THAT(text, Not(HasSubstr("no repeats")));
  EXPECT_THAT(text, Not(HasSubstr("find no difference")));
}

TEST(Noise, SaysThatRunsAreTooFew) {
  const PhaseNoise noise = noise_of_runs({run_with(100, 9000), run_with(101, 9500), run_with(102, 9300)});
  EXPECT_FALSE(row_of(noise, "max").found_ns);
  EXPECT_TRUE(row_of(noise, "max").found_with_twice_ns);
  EXPECT_THAT(noise_text(noise), HasSubstr("Fewer than 6 runs of each find no difference"));
}

// A defect: a difference of 2 584 952 153 % was said to be found.
TEST(Noise, SaysThatNothingIsFoundInSuchNoise) {
  std::vector<core::Phase> runs;
  for (const double max_ns : {9e3, 2e6, 8e3, 4e7, 3e8, 7e3}) runs.push_back(run_with(100, max_ns));
  const PhaseNoise noise = noise_of_runs(runs);
  EXPECT_EQ(noise.needed, 6u);
  EXPECT_TRUE(row_of(noise, "p50").found_ns);
  EXPECT_FALSE(row_of(noise, "max").found_ns);
  const std::string text = noise_text(noise);
  EXPECT_THAT(text, HasSubstr("cannot be found"));
  EXPECT_THAT(text, HasSubstr("Cannot be found: a difference of 1000 % would be too small"));
}

TEST(Noise, SaysThatRunsDrift) {
  std::vector<core::Phase> runs;
  for (int run = 0; run < 14; ++run) runs.push_back(run_with(100, 9000 + 100 * run));
  EXPECT_THAT(noise_text(noise_of_runs(runs)), HasSubstr("differ from the earlier ones in max: they are no repeats"));
}

// A defect: maxima of a minute and of an hour, and quantiles of the longer samples, were told as repeats.
TEST(Noise, LeavesOutWhatTheseRunsDoNotTell) {
  std::vector<core::Phase> runs{run_with(100, 9000), run_with(101, 9500)};
  runs[1].exposure_s = 21;
  const PhaseNoise longer = noise_of_runs(runs);
  EXPECT_EQ(longer.rows.back().measure, "p99.999");
  EXPECT_THAT(noise_text(longer),
              HasSubstr("Left out: max: watched 10 s and 21 s: maxima of such times do not compare"));
  runs[0].facts["only samples above"] = "60us";
  const PhaseNoise raw = noise_of_runs(runs);
  EXPECT_TRUE(raw.rows.empty());
  EXPECT_THAT(noise_text(raw), HasSubstr("Left out: quantiles: the meter tells only samples above 60us"));
  EXPECT_EQ(nlohmann::json::parse(noise_json({raw}))["repeats"][0]["left_out"].size(), 2u);
  runs[1].exposure_s = 10;
  const PhaseNoise maxima = noise_of_runs(runs);
  ASSERT_EQ(maxima.rows.size(), 1u);
  EXPECT_EQ(maxima.rows[0].measure, "max");
}

TEST(Noise, IsTheSameInJson) {
  const PhaseNoise noise = noise_of_runs({run_with(100, 9000), run_with(101, 9500)});
  const auto json = nlohmann::json::parse(noise_json({noise}));
  const auto& measures = json["repeats"][0]["measures"];
  ASSERT_EQ(measures.size(), noise.rows.size());
  EXPECT_EQ(measures.back()["values_ns"], noise.rows.back().values_ns);
  EXPECT_FALSE(measures.back().contains("found_ns"));
  EXPECT_EQ(json["repeats"][0]["runs_needed"], 6);
}

}  // namespace
}  // namespace maxlat::reports
