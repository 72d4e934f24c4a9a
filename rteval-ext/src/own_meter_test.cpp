// SPDX-License-Identifier: MIT
#include "own_meter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cyclictest_meter.hpp"
#include "fake_bench.hpp"

namespace maxlat::rteval_ext {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

MeterJob job_of(const std::string& json_path, bool control = false) {
  return {.cpus = {1},
          .duration_ns = 2'000'000'000,
          .control = control,
          .everywhere = false,
          .json_path = json_path,
          .arguments = {"--extra"}};
}

core::ProcessEnd ended(int status, const std::string& said = "") {
  core::ProcessEnd end;
  end.exit_status = status;
  end.standard_error = said;
  return end;
}

TEST(OwnMeter, NptRestsInAPhaseButNotInAControl) {
  const OwnMeter npt("/bin/maxlat", PhaseKind::npt);
  EXPECT_THAT(npt.command(job_of("f"))->argv, testing::IsSupersetOf({"--rest", "100ms"}));
  EXPECT_THAT(npt.command(job_of("f"))->argv, Contains("2s"));
  EXPECT_THAT(npt.command(job_of("f"))->argv, Contains("--extra"));
  EXPECT_THAT(npt.command(job_of("f", true))->argv, testing::IsSupersetOf({"--rest", "0"}));
  for (const bool control : {false, true})
    EXPECT_THAT(npt.command(job_of("f", control))->argv, Contains("-i")) << "interrupts stay on, module or not";
  MeterJob in_kernel = job_of("f");
  in_kernel.arguments = {"--kernel-loop"};
  EXPECT_THAT(npt.command(in_kernel)->argv, Not(Contains("-i")));
}

TEST(OwnMeter, OnlyTheLoopCanFindAPlantedStall) {
  const OwnMeter hwlat("/bin/maxlat", PhaseKind::hwlat);
  EXPECT_THAT(hwlat.command(job_of("f", true))->argv, Contains("loop"));
  EXPECT_THAT(hwlat.command(job_of("f"))->argv, Not(Contains("loop")));
}

TEST(OwnMeter, ReadsThePhaseOfAMeterThatMeasured) {
  const test::TemporaryDirectory directory;
  const OwnMeter npt("/bin/maxlat", PhaseKind::npt);
  ASSERT_TRUE(core::write_run(directory / "r.json", test::meter_result(5000)).ok());
  for (const int status : {0, 2, 3}) {
    const auto phase = npt.read(job_of(directory / "r.json"), ended(status));
    ASSERT_TRUE(phase.ok()) << status;
    EXPECT_EQ(phase->per_cpu[0].max_ns, 5000);
  }
}

// A result of another CPU than the one asked for is no measurement of that one.
TEST(OwnMeter, ACpuWithoutASampleIsAnError) {
  const test::TemporaryDirectory directory;
  const OwnMeter npt("/bin/maxlat", PhaseKind::npt);
  ASSERT_TRUE(core::write_run(directory / "r.json", test::meter_result(5000)).ok());
  MeterJob job = job_of(directory / "r.json");
  job.cpus = {1, 2};
  EXPECT_FALSE(npt.read(job, ended(0)).ok());
}

TEST(OwnMeter, AMeterThatFailedTellsWhyInItsOwnWords) {
  const test::TemporaryDirectory directory;
  const OwnMeter npt("/bin/maxlat", PhaseKind::npt);
  // A snapshot is there, but the meter failed: what it left is not its result.
  ASSERT_TRUE(core::write_run(directory / "r.json", test::meter_result(5000)).ok());
  const auto failed = npt.read(job_of(directory / "r.json"),
                               ended(1, "[1] 5 %\nmaxlat npt: cannot set SCHED_FIFO 95\nhint: run as root\n"));
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().text, "maxlat npt: cannot set SCHED_FIFO 95");
  EXPECT_EQ(failed.error().hint, "run as root");
  EXPECT_EQ(npt.read(job_of("f"), ended(77, "maxlat npt: no\n")).error().exit_status, core::Exit::cannot_run);
  core::ProcessEnd killed;
  killed.signal = 9;
  EXPECT_THAT(npt.read(job_of("f"), killed).error().text, HasSubstr("signal 9"));
}

TEST(CyclictestMeter, IsToldWhatTheDesignSays) {
  const CyclictestMeter meter("true");  // a program that is always there
  MeterJob job = job_of("f.json");
  job.everywhere = true;
  job.cpus = {0, 1};
  EXPECT_EQ(core::quote_command(meter.command(job)->argv),
            "true -m -p95 -i100 --smp -h 20000 -D 2 -q --json=f.json --extra");
  job.everywhere = false;
  job.duration_ns += 1;
  EXPECT_EQ(core::quote_command(meter.command(job)->argv),
            "true -m -p95 -i100 -a 0-1 -t 2 -h 20000 -D 3 -q --json=f.json --extra");
}

TEST(CyclictestMeter, MissingIsSkippedWithThePackage) {
  const auto command = CyclictestMeter("no-such-program-anywhere").command(job_of("f"));
  ASSERT_FALSE(command.ok());
  EXPECT_EQ(command.error().exit_status, core::Exit::cannot_run);
  EXPECT_THAT(command.error().hint, HasSubstr("rt-tests"));
}

TEST(CyclictestMeter, AThreadThatWasKeptFromRunningMakesItInvalid) {
  const test::TemporaryDirectory directory;
  // 1000 cycles of 100 us: a tenth of a second.
  std::ofstream(directory / "c.json") << R"({"cmdline:": "cyclictest -h 100", "return_code": 0, "thread": {"0":
      {"histogram": {"9": 1000}, "cycles": 1000, "min": 9, "max": 9, "avg": 9.0, "cpu": 1}}})";
  CyclictestMeter meter("true");
  EXPECT_EQ(meter.read(job_of(directory / "c.json"), ended(0))->status, core::PhaseStatus::ok);
  core::ProcessSpec sleeper;
  sleeper.argv = {"sleep", "60"};
  core::Result<core::Child> child = core::Child::start(sleeper);
  ASSERT_TRUE(child.ok());
  meter.every_second(*child, job_of(directory / "c.json"), 30);  // thirty seconds have passed
  const auto phase = meter.read(job_of(directory / "c.json"), ended(0));
  ASSERT_TRUE(phase.ok());
  EXPECT_EQ(phase->status, core::PhaseStatus::invalid);
  EXPECT_THAT(phase->reason, HasSubstr("CPU 1"));
}

}  // namespace
}  // namespace maxlat::rteval_ext
