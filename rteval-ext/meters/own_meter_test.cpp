// SPDX-License-Identifier: MIT
#include "own_meter.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <maxlat/core/sys/text_file.hpp>
#include <stdexcept>
#include <thread>

#include "cyclictest_meter.hpp"
#include "test_bench.hpp"

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
  const OwnMeter npt("/bin/maxlat", &kNptPhase);
  EXPECT_THAT(npt.command(job_of("f"))->argv, testing::IsSupersetOf({"--rest", "100ms"}));
  EXPECT_THAT(npt.command(job_of("f"))->argv, Contains("2s"));
  EXPECT_THAT(npt.command(job_of("f"))->argv, Contains("--extra"));
  EXPECT_THAT(npt.command(job_of("f", true))->argv, testing::IsSupersetOf({"--rest", "0"}));
  for (const bool control : {false, true})
    EXPECT_THAT(npt.command(job_of("f", control))->argv, Contains("--sensors")) << "the control is of the same meter";
  for (const bool control : {false, true})
    EXPECT_THAT(npt.command(job_of("f", control))->argv, Contains("-i")) << "interrupts stay on, module or not";
  MeterJob in_kernel = job_of("f");
  in_kernel.arguments = {"--kernel-loop"};
  EXPECT_THAT(npt.command(in_kernel)->argv, Not(Contains("-i")));
}

TEST(OwnMeter, NptLooksWhoHadTheTimeWhereThePlanWantsIt) {
  const OwnMeter npt("/bin/maxlat", &kNptPhase);
  MeterJob job = job_of("f");
  EXPECT_THAT(npt.command(job)->argv, Not(Contains("--kernel-events")));
  job.kernel_events = true;
  EXPECT_THAT(npt.command(job)->argv, Contains("--kernel-events"));
  job.arguments = {"--kernel-loop"};
  EXPECT_THAT(npt.command(job)->argv, Not(Contains("--kernel-events"))) << "its interrupts are off";
}

TEST(OwnMeter, HwlatLooksWhoHadTheTimeWhereItsLoopMeasures) {
  const OwnMeter hwlat("/bin/maxlat", &kHwlatPhase);
  MeterJob job = job_of("f");
  job.kernel_events = true;
  EXPECT_THAT(hwlat.command(job)->argv, Contains("--kernel-events"));
}

TEST(CyclictestMeter, ItsThreadsAreKnownByNameAndPriority) {
  const auto threads = CyclictestMeter("true").watched_threads();
  ASSERT_TRUE(threads);
  EXPECT_EQ(threads->name, "cyclictest");
  EXPECT_EQ(threads->priority, kMeterPriority);
  EXPECT_FALSE(OwnMeter("/bin/maxlat", &kCyclicPhase).watched_threads()) << "it watches for itself";
}

TEST(OwnMeter, OnlyTheLoopCanFindAPlantedStall) {
  const OwnMeter hwlat("/bin/maxlat", &kHwlatPhase);
  EXPECT_THAT(hwlat.command(job_of("f", true))->argv, Contains("loop"));
  EXPECT_THAT(hwlat.command(job_of("f"))->argv, Not(Contains("loop")));
}

TEST(OwnMeter, PreemptIsToldItsPriority) {
  const OwnMeter preempt("/bin/maxlat", &kPreemptPhase);
  EXPECT_EQ(core::quote_command(preempt.command(job_of("f"))->argv),
            "/bin/maxlat preempt -a 1 -D 2s -q --json f --snapshot 5s -p 95 --extra");
  MeterJob watched = job_of("f");
  watched.kernel_events = true;
  EXPECT_THAT(preempt.command(watched)->argv, Contains("--kernel-events"));
}

// Exit status 2: a pair did not do as it must. It was measured all the same, and the gate judges it.
TEST(OwnMeter, ReadsThePhaseOfAMeterThatMeasured) {
  const test::TemporaryFolder directory;
  const OwnMeter npt("/bin/maxlat", &kNptPhase);
  ASSERT_TRUE(core::write_run(directory / "r.json", test::meter_result(5000)).ok());
  for (const int status : {0, 2, 3}) {
    const auto phase = npt.read(job_of(directory / "r.json"), ended(status));
    ASSERT_TRUE(phase.ok()) << status;
    EXPECT_EQ(phase->per_cpu[0].max_ns, 5000);
  }
}

// A result of another CPU than the one asked for is no measurement of that one.
TEST(OwnMeter, ACpuWithoutASampleIsAnError) {
  const test::TemporaryFolder directory;
  const OwnMeter npt("/bin/maxlat", &kNptPhase);
  ASSERT_TRUE(core::write_run(directory / "r.json", test::meter_result(5000)).ok());
  MeterJob job = job_of(directory / "r.json");
  job.cpus = {1, 2};
  EXPECT_FALSE(npt.read(job, ended(0)).ok());
}

TEST(OwnMeter, AMeterThatFailedTellsWhyInItsOwnWords) {
  const test::TemporaryFolder directory;
  const OwnMeter npt("/bin/maxlat", &kNptPhase);
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

// cyclictest's result of one thread that took so many samples of 9 us, 100 us apart.
void write_cyclictest_result(const std::string& path, uint64_t cycles) {
  std::ofstream(path) << fmt::format(
      R"({{"cmdline:": "cyclictest -h 100", "return_code": 0, "thread": {{"0":
      {{"histogram": {{"9": {0}}}, "cycles": {0}, "min": 9, "max": 9, "avg": 9.0, "cpu": 1}}}}}})",
      cycles);
}

core::Child started(const std::string& shell) {
  core::ProcessSpec spec;
  spec.argv = {"sh", "-c", shell};
  core::Result<core::Child> child = core::Child::start(spec);
  if (!child) throw std::runtime_error(child.error().text);
  return std::move(*child);
}

TEST(CyclictestMeter, AThreadThatWasKeptFromRunningMakesItInvalid) {
  const test::TemporaryFolder directory;
  MeterJob job = job_of(directory / "c.json");
  job.duration_ns = 100'000'000'000;
  core::Child child = started("sleep 60");
  CyclictestMeter meter("true");
  meter.every_second(child, job, 100);
  // A hundred seconds have passed. The last wait of a thread may have begun a second ago; two are too many.
  for (const auto& [cycles, status] : std::map<uint64_t, core::PhaseStatus>{{1'000'000, core::PhaseStatus::ok},
                                                                            {999'000, core::PhaseStatus::ok},
                                                                            {980'000, core::PhaseStatus::invalid}}) {
    write_cyclictest_result(job.json_path, cycles);
    const auto phase = meter.read(job, ended(0));
    ASSERT_TRUE(phase.ok());
    EXPECT_EQ(phase->status, status) << cycles;
    EXPECT_EQ(phase->reason.find("CPU 1") != std::string::npos, status == core::PhaseStatus::invalid) << phase->reason;
  }
}

// A defect: its average is "-nan", and the phase was lost with all that the others had measured.
TEST(CyclictestMeter, AThreadThatTookNoSampleMakesItInvalid) {
  const test::TemporaryFolder directory;
  MeterJob job = job_of(directory / "c.json");
  job.cpus = {1, 2};
  write_cyclictest_result(job.json_path, 50'000);
  std::string text = core::read_file(job.json_path).value_or("");
  text.insert(text.rfind("}}"), R"(, "1": {"histogram": { }, "cycles": 0, "min": 1000000, "avg": -nan, "cpu": 2})");
  std::ofstream(job.json_path) << text;
  const auto phase = CyclictestMeter("true").read(job, ended(0));
  ASSERT_TRUE(phase.ok()) << phase.error().text;
  EXPECT_EQ(phase->status, core::PhaseStatus::invalid);
  EXPECT_EQ(phase->reason, "the thread on CPU 2 took no sample");
  EXPECT_EQ(phase->per_cpu.at(0).samples, 50'000u);
}

TEST(CyclictestMeter, TheEndOfASlowProcessIsNotTheThreads) {
  const test::TemporaryFolder directory;
  MeterJob job = job_of(directory / "c.json");
  job.duration_ns = 100'000'000'000;
  core::Child child = started("sleep 60");
  CyclictestMeter meter("true");
  meter.every_second(child, job, 110);  // its threads were through after a hundred; its result took ten more
  write_cyclictest_result(job.json_path, 1'000'000);
  EXPECT_EQ(meter.read(job, ended(0))->status, core::PhaseStatus::ok);
}

// SIGUSR1 is not asked for before it is caught, so the first block is not of the first second.
TEST(CyclictestMeter, TheTimelineBeginsWhenItDid) {
  const test::TemporaryFolder directory;
  const MeterJob job = job_of(directory / "c.json");
  core::Child child =
      started(fmt::format("trap : USR1; touch {0}; while :; do sleep 0.05; done", directory / "caught"));
  CyclictestMeter meter("true");
  core::Child deaf = started("sleep 60");
  meter.every_second(deaf, job, 1.01);
  while (!std::filesystem::exists(directory / "caught")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  meter.every_second(child, job, 2.01);
  meter.every_second(child, job, 2.9);
  meter.every_second(child, job, 5.01);  // nobody looked at 3 and 4
  write_cyclictest_result(job.json_path, 50'000);
  const std::string block = "T: 0 ( 7534) P:95 I:100 C:   9990 Min:      7 Act:   15 Avg:   13 Max:     ";
  const auto phase = meter.read(job, ended(0, block + "20\n" + block + "30\n"));
  ASSERT_TRUE(phase.ok());
  EXPECT_THAT(phase->per_cpu[0].timeline.max_ns, testing::ElementsAre(0, 20'000, 20'000, 20'000, 30'000));
}

}  // namespace
}  // namespace maxlat::rteval_ext
