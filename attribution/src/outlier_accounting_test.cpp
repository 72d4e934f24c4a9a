// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/attribution/outlier_accounting.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <memory>
#include <string>
#include <utility>

namespace maxlat::attribution {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A meter of one CPU that kept two samples, and the phase that was made of them.
class OutlierAccounting : public testing::Test {
 protected:
  OutlierAccounting() {
    phase_.per_cpu.resize(1);
    phase_.per_cpu[0].outliers = {{.t_ns = 5'000, .latency_ns = 900, .cause = {}},
                                  {.t_ns = 9'000, .latency_ns = 700, .cause = {}}};
  }
  void enter(const WatchResult& watched) { enter_accounting(watched, std::span(&kept_, 1), phase_); }

  std::vector<core::OutlierSample> kept_{{.ticks = 900, .time = 5'000}, {.ticks = 700, .time = 9'000}};
  core::Phase phase_;
  const AccountedGap longer_{900, 5'000, {{.kind = core::TimeClass::irq, .name = "24 eth0", .ns = 900}}};
  const AccountedGap shorter_{700, 9'000, {{.kind = core::TimeClass::softirq, .name = "RCU", .ns = 700}}};
};

class ByTracefs final : public KernelWatch {
 public:
  explicit ByTracefs(std::string passed_over, std::string not_told = {})
      : passed_over_(std::move(passed_over)), not_told_(std::move(not_told)) {}
  const char* backend() const override { return kTracefsBackend; }
  const std::string& passed_over() const override { return passed_over_; }
  const std::string& not_told() const override { return not_told_; }
  core::AskedGaps& gaps_of(unsigned) override { return gaps_; }
  WatchResult finish() override { return {}; }

 private:
  const std::string passed_over_, not_told_;
  core::AskedGaps gaps_;
};

// A module that is loaded and does not record is a mistake of somebody's, who should hear of it.
TEST_F(OutlierAccounting, WhyTheModuleWasPassedOverIsTold) {
  tell_of({std::make_unique<ByTracefs>(""), ""}, phase_);
  EXPECT_EQ(phase_.facts.at("kernel events"), "recorded by tracefs, which makes each interrupt longer");
  const test::TemporaryFolder root;
  const core::Error refused{"8 sessions use /dev/maxlat_trace already"};
  EXPECT_EQ(module_passed_over(root.path(), refused), "") << "no module, no word";
  root.write("dev/maxlat_trace", "");
  tell_of({std::make_unique<ByTracefs>(module_passed_over(root.path(), refused)), ""}, phase_);
  EXPECT_EQ(phase_.facts.at("kernel events"),
            "recorded by tracefs, which makes each interrupt longer; not by the module: 8 sessions use "
            "/dev/maxlat_trace already");
}

TEST_F(OutlierAccounting, WhatIsNotToldOfOtherCpusIsSaid) {
  tell_of({std::make_unique<ByTracefs>("", "the sender of an interrupt is not told by this kernel"), ""}, phase_);
  EXPECT_EQ(phase_.facts.at("kernel events"),
            "recorded by tracefs, which makes each interrupt longer; the sender of an interrupt is not told by this "
            "kernel");
  enter({.cpus = {{longer_, shorter_}}, .lost_elsewhere = 7});
  EXPECT_EQ(phase_.facts.at("kernel_events_of_other_cpus_lost"), "7: who woke or sent meanwhile is not named");
}

TEST_F(OutlierAccounting, EachOutlierHasItsOwnList) {
  enter({.cpus = {{longer_, shorter_}}, .events = 12});
  EXPECT_EQ(phase_.per_cpu[0].outliers[0].accounting[0].name, "24 eth0");
  EXPECT_EQ(phase_.per_cpu[0].outliers[1].accounting[0].name, "RCU");
  EXPECT_EQ(phase_.facts.at("kernel_events_read"), "12");
  EXPECT_THAT(phase_.warnings, IsEmpty());
}

TEST_F(OutlierAccounting, HowLongAroundMayBeAndByWhomIsSaid) {
  enter({.cpus = {{longer_, shorter_}}, .around = {.of_interrupt = {.ways = 7}}});
  EXPECT_EQ(
      phase_.facts.at("around"),
      "at most 3.00 us at a stretch: measured on one virtual machine, not on this one (7 ways beside lone ticks)");
  enter({.cpus = {{longer_, shorter_}}, .around = {.of_switch = {.at_most_ns = 20'000, .ways = 1}}});
  EXPECT_THAT(phase_.facts.at("around"),
              HasSubstr("; beside a task switch at most 20.0 us: measured on one virtual machine, not on this one (1 "
                        "way beside task switches)"));
  enter({.cpus = {{longer_, shorter_}},
         .around = {.of_switch = {.at_most_ns = 6100, .is_calibrated = true, .ways = 140}}});
  EXPECT_THAT(phase_.facts.at("around"), HasSubstr("; beside a task switch at most 6.10 us: calibrated, twice the "
                                                   "ninth decile, within 3.00 us and 20.0 us, of 140 "
                                                   "ways beside task switches of this run"));
  enter({.cpus = {{longer_, shorter_}},
         .around = {.of_interrupt = {.at_most_ns = 1600, .is_calibrated = true, .ways = 212}}});
  EXPECT_EQ(phase_.facts.at("around"),
            "at most 1.60 us at a stretch: calibrated, eight times the median of 212 ways beside lone ticks of this "
            "run; beside a task switch at most 3.00 us: measured on one virtual machine, not on this one (0 ways "
            "beside task switches)");
}

TEST_F(OutlierAccounting, TheTableOfTheRunIsThePhases) {
  enter({.cpus = {{longer_, shorter_}}, .interference = {{.cpu = 4, .watched_ns = 9, .undisturbed_ns = 9}}});
  ASSERT_EQ(phase_.interference.size(), 1u);
  EXPECT_EQ(phase_.interference[0].cpu, 4u);
}

TEST_F(OutlierAccounting, WhatIsMissingIsCounted) {
  enter({.cpus = {{shorter_}}});
  EXPECT_THAT(phase_.per_cpu[0].outliers[0].accounting, IsEmpty()) << "the list of another is not its own";
  EXPECT_THAT(phase_.warnings, ElementsAre(HasSubstr("1 of the largest gaps came too fast")));
}

// A thread whose CPU went offline ends its gap on another one.
TEST_F(OutlierAccounting, WhatEndedOnAnotherCpuIsSaidToHave) {
  enter({.cpus = {{shorter_}}, .declined = 1});
  EXPECT_THAT(phase_.warnings, ElementsAre(HasSubstr("1 of the largest gaps ended on another CPU")));
}

// A wake-up may be early by as much as it is known to: nobody had what it did not take.
TEST_F(OutlierAccounting, OneThatTookNoTimeIsNotMissing) {
  kept_[1].ticks = 0;
  enter({.cpus = {{longer_}}});
  EXPECT_THAT(phase_.warnings, IsEmpty());
}

TEST_F(OutlierAccounting, ACounterThatIsNotTrustedIsNoClockForEvents) {
  base::CounterClock stops;
  stops.why = "it stops in idle";
  EXPECT_EQ(watch_kernel({.cpus = {0}}, stops).why_not, "the time-stamp counter is not trusted: it stops in idle");
}

// Nothing seen, and no SMI: then it was not the firmware.
TEST_F(OutlierAccounting, TheProcessorsOwnCountIsAFact) {
  enter({.cpus = {{longer_, shorter_}}, .machine = {.smi = {{4, 0}}, .steal_s = {}}});
  EXPECT_EQ(phase_.facts.at("SMI count"), "0 on CPU 4");
}

// Nothing seen, in a guest: how much of it the host can have taken.
TEST_F(OutlierAccounting, WhatTheHostTookIsAFact) {
  enter({.cpus = {{longer_, shorter_}}, .machine = {.smi = {}, .steal_s = {{4, 0.25}}, .hypervisor = true}});
  EXPECT_THAT(phase_.facts.at("steal"), HasSubstr("250 ms of CPU 4: taken by the host"));
}

TEST_F(OutlierAccounting, AnotherProgramsWakeupsAreInItsTable) {
  core::CpuInterference of_cpu{.cpu = 4, .watched_ns = 9, .undisturbed_ns = 9};
  of_cpu.wakeups = {{.t_ns = 5, .latency_ns = 9}};
  enter_wakeups({.cpus = {{}, {}}, .interference = {of_cpu}, .start_monotonic_ns = 77}, phase_);
  ASSERT_EQ(phase_.interference.size(), 1u);
  EXPECT_EQ(phase_.interference[0].wakeups.size(), 1u);
  EXPECT_EQ(phase_.facts.at("start_monotonic_ns"), "77");
  EXPECT_THAT(phase_.warnings, ElementsAre(HasSubstr("on 1 of 2 CPUs the kernel's events have none")));
}

TEST_F(OutlierAccounting, LossIsTold) {
  enter({.cpus = {{longer_, shorter_}}, .events = 7, .lost = 3});
  EXPECT_EQ(phase_.facts.at("kernel_events_lost"), "3");
  EXPECT_THAT(phase_.warnings, ElementsAre(HasSubstr("3 of 10 events of the kernel")));
}

// Why the lists are missing is then known, and how many are is not worth a word.
TEST_F(OutlierAccounting, DamageIsToldInTheirPlace) {
  enter({.cpus = {{}}, .damage = "at byte 8 of a page"});
  EXPECT_THAT(phase_.warnings, ElementsAre(HasSubstr("not read to the end: at byte 8 of a page")));
}

}  // namespace
}  // namespace maxlat::attribution
