// SPDX-License-Identifier: MIT
#include "hwlat_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/result/fact_names.hpp>

namespace maxlat::hwlat {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr uint64_t kThreshold_ns = 10'000;

// Three samples, the largest above the threshold, all in bins up to one that reaches from below it to above it.
Measurement straddling() {
  Measurement measured;
  core::CpuResult cpu;
  cpu.cpu = 3;
  cpu.samples = 3;
  cpu.exposure_s = 3600;
  cpu.max_ns = 10'100;
  cpu.bins = {{1'000, 1'020, 1}, {9'984, 10'240, 2}};
  measured.phase.per_cpu = {cpu};
  measured.phase.exposure_s = 3600;
  measured.phase.facts[core::fact::kBackEnd] = "loop";
  measured.phase.facts[core::fact::kSmiCount] = "not known";
  Finding finding;
  finding.cpu = 3;
  finding.inner_ns = 10'100;
  measured.findings = {finding};
  return measured;
}

std::string text(const Measurement& measured) {
  Settings settings;
  settings.cpus = {3};
  settings.threshold_ns = kThreshold_ns;
  return result_text(measured, settings, 0);
}

// "0 above" and a rate stood beside a maximum that was above the threshold.
TEST(HwlatText, ABinThatTheThresholdDividesCountsAsAbove) {
  const Measurement measured = straddling();
  EXPECT_EQ(samples_above(measured, kThreshold_ns), 2u) << "at most: which of the two are above, the bin does not tell";
  EXPECT_THAT(text(measured), HasSubstr("Samples above 10.0 us: 2 in 3600.0 CPU-seconds"));
  EXPECT_THAT(text(measured), HasSubstr("MTBF: "));
  EXPECT_THAT(text(measured), Not(HasSubstr("Rate: below")));
}

TEST(HwlatText, NothingIsAboveWhereTheMaximumIsNot) {
  Measurement measured = straddling();
  measured.phase.per_cpu[0].max_ns = 10'000;
  EXPECT_EQ(samples_above(measured, kThreshold_ns), 0u);
  EXPECT_THAT(text(measured), HasSubstr("Rate: below"));
}

TEST(HwlatText, ACountOfTheBackEndIsBetterThanTheBins) {
  Measurement measured = straddling();
  measured.above[3] = 1;
  EXPECT_EQ(samples_above(measured, kThreshold_ns), 1u);
  EXPECT_EQ(raw_findings(measured, kThreshold_ns).at(0).not_kept, 0u) << "the one above is a finding";
}

TEST(HwlatText, RawTellsHowManyWereNotKept) {
  Measurement measured = straddling();
  measured.findings.clear();
  EXPECT_EQ(raw_findings(measured, kThreshold_ns).at(0).not_kept, 2u);
  measured.above[3] = 7;
  EXPECT_EQ(raw_findings(measured, kThreshold_ns).at(0).not_kept, 7u);
}

}  // namespace
}  // namespace maxlat::hwlat
