// SPDX-License-Identifier: MIT
#include "tracer_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace maxlat::hwlat {
namespace {

using testing::HasSubstr;

Settings two_cpus() {
  Settings settings;
  settings.cpus = {1, 3};
  settings.threshold_ns = 10'000;
  settings.outliers = 2;
  return settings;
}

constexpr uint64_t kStart_ns = 1'000'000'000'000;

TracerRecord record_of(unsigned cpu, uint64_t inner_us, uint64_t outer_us, double at_s) {
  TracerRecord record;
  record.cpu = cpu;
  record.inner_us = inner_us;
  record.outer_us = outer_us;
  record.realtime_ns = kStart_ns + static_cast<uint64_t>(at_s * 1e9);
  return record;
}

TEST(TracerResult, AWindowIsASampleAndQuietOnesLieBelowTheThreshold) {
  const auto measured =
      tracer_measurement(two_cpus(), {record_of(1, 12, 14, 2), record_of(1, 40, 9, 3), record_of(1, 12, 13, 4)}, 0,
                         {{1, 5.0, 10}, {3, 5.0, 10}}, kStart_ns);
  ASSERT_TRUE(measured.ok()) << measured.error().text;
  const core::CpuResult& busy = measured->phase.per_cpu[0];
  EXPECT_EQ(busy.samples, 10u);
  ASSERT_EQ(busy.bins.size(), 4u);
  EXPECT_EQ(busy.bins[0].low_ns, 0);
  EXPECT_EQ(busy.bins[0].high_ns, 10000);
  EXPECT_EQ(busy.bins[0].count, 7u);
  EXPECT_EQ(busy.max_ns, 40000);
  EXPECT_EQ(busy.outliers.size(), 2u);
  EXPECT_EQ(busy.outliers[0].latency_ns, 40000);
  EXPECT_EQ(busy.outliers[0].t_ns, 3e9);
  EXPECT_EQ(busy.outliers[1].latency_ns, 14000);
  EXPECT_EQ(measured->findings.size(), 3u);
  EXPECT_EQ(measured->phase.exposure_s, 10);
  EXPECT_THAT(measured->phase.facts.at("below the threshold"), HasSubstr("not known"));
  EXPECT_EQ(measured->phase.facts.at("start_realtime_ns"), std::to_string(kStart_ns));
}

TEST(TracerResult, BinsAddUpToTheWindowsOnEveryCpu) {
  const auto measured =
      tracer_measurement(two_cpus(), {record_of(3, 12, 14, 2)}, 0, {{1, 5.0, 10}, {3, 5.0, 10}}, kStart_ns);
  ASSERT_TRUE(measured.ok());
  for (const core::CpuResult& cpu : measured->phase.per_cpu) {
    uint64_t sum = 0;
    for (const core::Bin& bin : cpu.bins) sum += bin.count;
    EXPECT_EQ(sum, cpu.samples);
  }
  EXPECT_LE(measured->phase.per_cpu[0].max_ns, 10000);  // a quiet CPU is known only to be below the threshold
}

// The kernel's record is in whole microseconds.
TEST(TracerResult, ARecordBelowTheThresholdIsAQuietWindow) {
  const auto measured =
      tracer_measurement(two_cpus(), {record_of(1, 8, 9, 2)}, 0, {{1, 5.0, 1}, {3, 5.0, 10}}, kStart_ns);
  ASSERT_TRUE(measured.ok());
  const core::CpuResult& cpu = measured->phase.per_cpu[0];
  ASSERT_EQ(cpu.bins.size(), 1u);
  EXPECT_EQ(cpu.bins[0].high_ns, 10'000);
  EXPECT_EQ(cpu.bins[0].count, 1u);
}

TEST(TracerResult, ACpuThatWasNotWatchedIsAnError) {
  for (const std::vector<TracerExposure>& exposure :
       {std::vector<TracerExposure>{{1, 5.0, 10}}, {{1, 5.0, 10}, {3, 0.0, 0}}}) {
    const auto measured = tracer_measurement(two_cpus(), {}, 0, exposure, kStart_ns);
    ASSERT_FALSE(measured.ok());
    EXPECT_THAT(measured.error().text, HasSubstr("never watched CPU 3"));
    EXPECT_EQ(measured.error().exit_status, core::Exit::invalid);
  }
}

TEST(TracerResult, ARecordOfAnotherCpuIsAnError) {
  EXPECT_FALSE(tracer_measurement(two_cpus(), {record_of(2, 12, 14, 2)}, 0, {{1, 5, 10}, {3, 5, 10}}, kStart_ns).ok());
}

TEST(TracerResult, LostRecordsMakeItInvalid) {
  const auto measured = tracer_measurement(two_cpus(), {}, 7, {{1, 5, 10}, {3, 5, 10}}, kStart_ns);
  ASSERT_TRUE(measured.ok());
  EXPECT_EQ(measured->phase.status, core::PhaseStatus::invalid);
  EXPECT_THAT(measured->phase.reason, HasSubstr("7 records"));
}

}  // namespace
}  // namespace maxlat::hwlat
