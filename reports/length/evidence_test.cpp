// SPDX-License-Identifier: MIT
#include "evidence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "test/test_tail.hpp"

namespace maxlat::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using test::hour_of_npt;

constexpr WantedRate kOneADay = {1, 86'400, 0.95};

TEST(Evidence, CountsWhatIsAboveTheLimitInAllCpus) {
  const core::Phase phase = hour_of_npt();
  std::uint64_t above = 0;
  for (const auto& cpu : phase.per_cpu)
    for (std::size_t second = 0; second < 3600; ++second) above += cpu.timeline.max_ns[second] > 11'000;
  const Evidence evidence = evidence_of(phase, kOneADay, 11'000);
  ASSERT_GT(above, 5u);
  EXPECT_EQ(evidence.samples_above, above);
  EXPECT_EQ(evidence.steps_above, above) << "of each CPU";
  EXPECT_EQ(evidence.steps, 7200u);
  EXPECT_FALSE(evidence.bursts);
  EXPECT_EQ(evidence.events, above);
  EXPECT_EQ(evidence.exposure_s, 7200);
}

TEST(Evidence, NothingAboveTheMaximumIsTheRuleOfThree) {
  core::Phase phase = hour_of_npt();
  for (core::CpuResult& cpu : phase.per_cpu) cpu.timeline.max_ns.resize(400);  // too few steps for a tail
  const Evidence evidence = evidence_of(phase, kOneADay, {});
  EXPECT_EQ(evidence.limit_ns, evidence.max_ns);
  EXPECT_EQ(evidence.events, 0u);
  EXPECT_FALSE(evidence.likely_per_s);
  EXPECT_EQ(evidence.answer, Evidence::Answer::not_shown);  // two hours do not show one a day
  ASSERT_TRUE(evidence.further);
  EXPECT_NEAR(evidence.further->time, 86'400 * 2.9957, 10);
  EXPECT_EQ(evidence.further->allowed, 0u);
  const std::string text = evidence_text(evidence, kOneADay);
  EXPECT_THAT(text, HasSubstr("2 CPUs are taken as independent: what stops all of them at once was watched for 1 h"));
  EXPECT_THAT(text, HasSubstr("Fewer than 1 exceedance in 1 d, at 95 %: not shown by this run."));
  EXPECT_THAT(text, HasSubstr("watches for 3 d of CPU time (1 d 12 h with 2"));
  EXPECT_THAT(text, Not(HasSubstr("of 100 runs")));
  const auto json = nlohmann::json::parse(evidence_json({evidence}, kOneADay))["phases"][0]["further_run"];
  EXPECT_TRUE(json.contains("exposure_s"));
  EXPECT_FALSE(json.contains("chance")) << "nothing was seen, and no tail fits: nobody knows";
}

// A defect: a phase of 4 s that took 21 s, with its set-up, made a further run five times too long.
TEST(Evidence, AFurtherRunIsAsLongAsTheMeterMeasures) {
  core::Phase phase = hour_of_npt();
  phase.duration_s = 5 * 3600;
  for (core::CpuResult& cpu : phase.per_cpu) cpu.exposure_s = 3240;  // it rests for 100 ms of each second
  phase.exposure_s = 6480;
  const Evidence evidence = evidence_of(phase, kOneADay, 1e6);
  EXPECT_EQ(evidence.duration_s, 5 * 3600);
  EXPECT_EQ(evidence.measuring_s, 3600);
  const std::string text = evidence_text(evidence, kOneADay);
  EXPECT_THAT(text, HasSubstr("watches for 3 d of CPU time (1 d 16 h with 2"));
  EXPECT_THAT(text, HasSubstr("90 % of the time"));
  EXPECT_THAT(text, HasSubstr("this phase took 5 h for 1 h of measuring"));
  const auto json = nlohmann::json::parse(evidence_json({evidence}, kOneADay));
  EXPECT_EQ(json["phases"][0]["measuring_s"], 3600);
  for (core::CpuResult& cpu : phase.per_cpu) cpu.timeline.max_ns.clear();
  EXPECT_EQ(evidence_of(phase, kOneADay, 1e6).measuring_s, 5 * 3600) << "nothing tells more";
}

// A defect: above the maximum the rate was taken as 0, and a further run as sure to succeed. The tail is exponential,
// of 1 us beyond 5 us in one second of each CPU.
TEST(Evidence, AboveTheMaximumTheTailTellsTheRate) {
  const Evidence at_maximum = evidence_of(hour_of_npt(), kOneADay, {});
  ASSERT_EQ(at_maximum.tail.refusal, "");
  ASSERT_EQ(at_maximum.events, 0u);
  EXPECT_GT(at_maximum.likely_per_s.value(), 1.0 / 86'400) << "a maximum of two hours is exceeded every few hours";
  EXPECT_FALSE(at_maximum.further);
  EXPECT_THAT(evidence_text(at_maximum, kOneADay), HasSubstr("the tail leads above the limit so often"));
  const double truth = std::exp(-(at_maximum.max_ns - 5000) / 1000);
  EXPECT_NEAR(std::log10(at_maximum.likely_per_s.value() / truth), 0, 0.5);
  const WantedRate one_in_ten_minutes = {1, 600, 0.95};
  const Evidence likely = evidence_of(hour_of_npt(), one_in_ten_minutes, {});
  ASSERT_TRUE(likely.further);
  EXPECT_LT(likely.further->chance, 1);
  EXPECT_THAT(evidence_text(likely, one_in_ten_minutes), HasSubstr("at the rate that the tail leads to"));
}

TEST(Evidence, SaysWhatARunShowsAndWhatItRulesOut) {
  const core::Phase phase = hour_of_npt();
  const WantedRate two_an_hour = {2, 3600, 0.95};  // four were allowed in two hours, and none was seen
  EXPECT_EQ(evidence_of(phase, two_an_hour, {}).answer, Evidence::Answer::shown);
  EXPECT_EQ(evidence_of(phase, {1, 3600, 0.95}, {}).answer, Evidence::Answer::not_shown);
  const Evidence many = evidence_of(phase, two_an_hour, 8000);
  EXPECT_EQ(many.answer, Evidence::Answer::ruled_out);
  EXPECT_FALSE(many.further);
  EXPECT_THAT(evidence_text(many, two_an_hour), HasSubstr("No further run is likely to show it"));
}

// A run that is made as it was planned, with as many exceedances as it was allowed, shows it.
TEST(Evidence, AFurtherRunAsPlannedShowsIt) {
  const WantedRate wanted = {40, 3600, 0.95};
  core::Phase phase = hour_of_npt();
  const Evidence first = evidence_of(phase, wanted, 10'000);
  ASSERT_TRUE(first.further);
  EXPECT_GT(first.further->allowed, 0u);
  EXPECT_GE(first.further->chance, 0.8);
  core::CpuResult cpu;
  cpu.bins = {{100, 101, 1'000'000}, {12'000, 12'001, first.further->allowed}};
  cpu.exposure_s = first.further->time * 1.0001;
  core::fill_statistics_from_bins(cpu);
  phase.per_cpu = {cpu};
  EXPECT_EQ(evidence_of(phase, wanted, 10'000).answer, Evidence::Answer::shown);
  phase.per_cpu[0].bins[1].count += 1;
  core::fill_statistics_from_bins(phase.per_cpu[0]);
  EXPECT_NE(evidence_of(phase, wanted, 10'000).answer, Evidence::Answer::shown);
}

TEST(Evidence, CountsBurstsOnce) {
  core::Phase phase = hour_of_npt();
  for (core::CpuResult& cpu : phase.per_cpu) {
    cpu.bins.push_back({90'000, 90'001, 50});  // fifty in the same second
    cpu.timeline.max_ns[1234] = 90'000;
    cpu.max_ns = 90'000.5;
    core::fill_statistics_from_bins(cpu);
  }
  const Evidence evidence = evidence_of(phase, kOneADay, 50'000);
  EXPECT_EQ(evidence.samples_above, 100u);
  EXPECT_TRUE(evidence.bursts);
  EXPECT_EQ(evidence.events, 2u) << "one of each CPU, as the time watched is of both";
  EXPECT_THAT(evidence_text(evidence, kOneADay), HasSubstr("in 2 of 7200 steps of 1 s: they come in bursts"));
}

// A defect: an interval "that holds whatever the distribution is" was told of samples that came all at once.
TEST(Evidence, IntervalsAreAsWideAsSamplesThatComeTogetherMakeThem) {
  core::Phase phase = hour_of_npt();
  const Evidence calm = evidence_of(phase, kOneADay, {});
  ASSERT_EQ(std::string(calm.quantiles[3].label), "p99.9");
  EXPECT_EQ(calm.quantiles[0].dependence.assumed_because, "nearly every step of the time line holds such samples");
  EXPECT_THAT(evidence_text(calm, kOneADay), HasSubstr("taken as independent at p50, p90, p99, p99.9"));
  for (core::CpuResult& cpu : phase.per_cpu) {
    const std::uint64_t many = cpu.samples / 500;  // p99.9 lies in them
    cpu.bins.push_back({90'000, 90'001, many});
    for (std::size_t second = 1000; second < 1010; ++second) cpu.timeline.max_ns[second] = 90'000.5;
    cpu.max_ns = 90'000.5;
    core::fill_statistics_from_bins(cpu);
  }
  const Evidence evidence = evidence_of(phase, kOneADay, {});
  const QuantileRow& row = evidence.quantiles[3];
  EXPECT_EQ(row.dependence.assumed_because, "");
  EXPECT_GT(row.dependence.samples_for_one, static_cast<double>(evidence.samples) / 500 / 20) << "of one step alone";
  EXPECT_LT(row.interval.low_ns, 10'000) << "one disturbance may as well not have been";
  EXPECT_FALSE(row.interval.high_ns);
  EXPECT_GT(row.samples_needed, evidence.samples);
  EXPECT_THAT(evidence_text(evidence, kOneADay), HasSubstr("by a block bootstrap"));
  const auto json = nlohmann::json::parse(evidence_json({evidence}, kOneADay))["phases"][0];
  EXPECT_EQ(json["quantiles"][3]["samples_for_one"], row.dependence.samples_for_one);
  EXPECT_FALSE(json["quantiles"][3].contains("taken_as_independent"));
  EXPECT_EQ(json["quantiles"][0]["taken_as_independent"], "nearly every step of the time line holds such samples");
  EXPECT_FALSE(json["quantiles"][0].contains("samples_for_one"));
}

TEST(Evidence, SaysWhereSamplesAreTooFew) {
  core::Phase phase = hour_of_npt();
  for (core::CpuResult& cpu : phase.per_cpu) {
    cpu.bins.front().count = 1000;
    core::fill_statistics_from_bins(cpu);
  }
  const Evidence evidence = evidence_of(phase, kOneADay, {});
  EXPECT_TRUE(evidence.quantiles[2].interval.high_ns);   // p99 of 9200
  EXPECT_FALSE(evidence.quantiles[4].interval.high_ns);  // p99.99
  EXPECT_THAT(evidence_text(evidence, kOneADay), HasSubstr("not enough samples for an upper end: 9200 of 36887"));
}

// Exponential beyond 5 us in two CPUs: the level of a day of CPU time, twelve hours of both, is known.
TEST(Evidence, ExtrapolatesASoundTail) {
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Evidence evidence = evidence_of(hour_of_npt(seed), kOneADay, {});
    if (!evidence.level) continue;
    const double share = 1 - std::sqrt(1 - 1.0 / 43'200);  // of the seconds of one CPU
    const double truth = 5000 - 1000 * std::log(share);
    covered += evidence.level->interval_ns.low <= truth && truth <= evidence.level->interval_ns.high;
  }
  EXPECT_GE(covered, 8);
}

// Stalls that stop both CPUs together are two exceedances in the time of two: as often as those of one are in its own.
TEST(Evidence, ExtrapolatesStallsOfAllCpusAsThoseOfEach) {
  core::Phase one = hour_of_npt();
  one.per_cpu.resize(1);
  one.exposure_s = 3600;
  core::Phase both = one;
  both.per_cpu.push_back(both.per_cpu[0]);
  both.per_cpu[1].cpu = 1;
  both.exposure_s = 7200;
  const Evidence of_one = evidence_of(one, kOneADay, {}), of_both = evidence_of(both, kOneADay, {});
  ASSERT_TRUE(of_one.level && of_both.level);
  EXPECT_DOUBLE_EQ(of_both.level->level_ns, of_one.level->level_ns);
}

TEST(Evidence, SaysWhyThereIsNoTail) {
  core::Phase phase = hour_of_npt();
  phase.per_cpu[0].timeline.kind = core::Timeline::Kind::running_max;
  const Evidence evidence = evidence_of(phase, kOneADay, {});
  EXPECT_FALSE(evidence.level);
  EXPECT_THAT(evidence_text(evidence, kOneADay), HasSubstr("tail: no extrapolation. The time line holds only"));
  EXPECT_EQ(evidence.steps, 0u);
}

TEST(Evidence, OfAMeterThatTellsOnlyLongSamplesThereAreNoQuantiles) {
  core::Phase phase = hour_of_npt();
  phase.facts["only samples above"] = "5us";
  const Evidence evidence = evidence_of(phase, kOneADay, 11'000);
  EXPECT_TRUE(evidence.quantiles.empty());
  EXPECT_THAT(evidence_text(evidence, kOneADay), testing::Not(HasSubstr("quantile")));
}

// A fixed tail would be of conditions that were those of no time: it is refused, and when they changed is said.
TEST(Evidence, SaysWhenConditionsChanged) {
  core::Phase phase = hour_of_npt();
  EXPECT_TRUE(evidence_of(phase, kOneADay, {}).changes.empty());
  for (core::CpuResult& cpu : phase.per_cpu) {
    for (std::size_t second = 1200; second < 3600; ++second) cpu.timeline.max_ns[second] *= 1.3;
    std::fill_n(cpu.timeline.max_ns.begin() + 100, 200, 0.0);  // nothing was measured
  }
  const Evidence evidence = evidence_of(phase, kOneADay, {});
  EXPECT_FALSE(evidence.level);
  ASSERT_EQ(evidence.changes.size(), 1u);
  EXPECT_NEAR(evidence.changes[0].at_s, 1200, 5);
  EXPECT_NEAR(evidence.changes[0].after_ns / evidence.changes[0].before_ns, 1.3, 0.05);
  EXPECT_THAT(evidence_text(evidence, kOneADay), HasSubstr("conditions changed at 20 m"));
}

TEST(Evidence, IsTheSameInJson) {
  const Evidence evidence = evidence_of(hour_of_npt(), kOneADay, 11'000);
  const auto json = nlohmann::json::parse(evidence_json({evidence, evidence}, kOneADay));
  ASSERT_EQ(json["phases"].size(), 2u);
  const auto& phase = json["phases"][0];
  EXPECT_EQ(json["question"]["in_s"], 86'400);
  EXPECT_EQ(phase["samples_above"], evidence.samples_above);
  EXPECT_EQ(phase["events_interval"]["high"], evidence.events_interval.high);
  EXPECT_EQ(phase["answer"], "ruled out");
  EXPECT_EQ(phase["quantiles"].size(), evidence.quantiles.size());
  EXPECT_EQ(phase["tail"]["checks"].size(), evidence.tail.checks.size());
  EXPECT_EQ(phase["tail"].contains("level_ns"), evidence.level.has_value());
}

TEST(PlanText, IsARowForEachNumberThatIsAllowed) {
  const std::string text = plan_text({1, 3600, 0.95}, 0, 1);
  EXPECT_THAT(text, HasSubstr("To show fewer than 1 exceedance in 1 h, at 95 %"));
  EXPECT_THAT(text, HasSubstr("3 h\n"));       // 2.9957
  EXPECT_THAT(text, HasSubstr("4 h 45 m\n"));  // 4.7439
  const auto json = nlohmann::json::parse(plan_json({1, 3600, 0.95}, 0, 1));
  EXPECT_NEAR(json["plan"][1]["exposure_s"].get<double>(), 4.7439 * 3600, 1);
}

}  // namespace
}  // namespace maxlat::reports
