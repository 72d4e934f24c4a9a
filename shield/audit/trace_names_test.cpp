// SPDX-License-Identifier: MIT
#include "trace_names.hpp"

#include <gtest/gtest.h>

namespace maxlat::shield {
namespace {

using core::Interruption;
using Kind = Interruption::Kind;

// As Linux 6.12 prints them.
constexpr const char* kTrace[] = {
    "# tracer: nop",
    "#                                _-----=> irqs-off/BH-disabled",
    "          <idle>-0       [000] d..1.  100.000001: sched_waking: comm=a task pid=77 prio=49 target_cpu=001",
    "          <idle>-0       [001] d..2.  100.000002: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 "
    "prev_state=R ==> next_comm=a task next_pid=77 next_prio=49",
    "      my [1] hog-77      [001] d..2.  100.000003: sched_switch: prev_comm=my [1] hog prev_pid=77 prev_prio=49 "
    "prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120",
    "     kworker/1:2-50      [001] ...1.  100.000004: workqueue_execute_start: work struct 00000000c1f5b6a1: function "
    "vmstat_update",
    "          <idle>-0       [001] d.h1.  100.000005: hrtimer_expire_entry: hrtimer=000000001 "
    "function=tick_nohz_handler now=100",
    "          <idle>-0       [001] d.h1.  100.000006: hrtimer_expire_entry: hrtimer=000000001 "
    "function=tick_nohz_handler+0x0/0x90 now=104",
    "             npt-90      [001] d....  100.000007: page_fault_user: address=0x7f ip=0x55 error_code=0x6",
    "             cat-12      [002] d..3.  100.000008: ipi_send_cpu: cpu=1 callsite=irq_work_queue_on+0x8a/0xf0 "
    "callback=nohz_full_kick_func+0x0/0x10",
    "             cat-12      [002] d..3.  100.000009: ipi_send_cpumask: cpumask=0-1 callsite=on_each_cpu_cond_mask "
    "callback=do_sync_core+0x0/0x30",
    "             cat-12      [002] d..3.  100.000010: sched_switch: prev_comm=cat prev_pid=12 prev_prio=120 "
    "prev_state=S ==> next_comm=sh next_pid=13 next_prio=120",
};

TraceNames named(core::CpuList cpus) {
  TraceNames names(std::move(cpus));
  for (const char* line : kTrace)
    if (const auto event = parse_trace_line(line)) names.add(*event);
  return names;
}

TEST(TraceNames, EachEventNamesWhatRanOnTheCpuAndWhoCausedIt) {
  const auto of_one = named({1}).of(1);
  const std::vector<Interruption> expected = {
      {.kind = Kind::function, .name = "tick_nohz_handler", .count = 2},
      {.kind = Kind::sent, .name = "do_sync_core", .by = "cat on CPU 2", .count = 1},
      {.kind = Kind::sent, .name = "nohz_full_kick_func", .by = "cat on CPU 2", .count = 1},
      {.kind = Kind::task, .name = "a task", .what = "real-time 50", .by = "idle on CPU 0", .count = 1},
      {.kind = Kind::work, .name = "vmstat_update", .count = 1},
      {.kind = Kind::fault, .name = "page fault", .what = "npt", .count = 1}};
  EXPECT_EQ(of_one, expected);
}

// Linux 6.18 on a virtual machine: only the way back to the idle task is recorded.
TEST(TraceNames, WhoLeavesAndDidNotComeIsCountedToo) {
  TraceNames names({1});
  for (int i = 0; i < 3; ++i)
    names.add(*parse_trace_line(
        "        intruder-77      [001] d..2.  100.000003: sched_switch: prev_comm=intruder prev_pid=77 "
        "prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120"));
  ASSERT_EQ(names.of(1).size(), 1u);
  EXPECT_EQ(names.of(1)[0].name, "intruder");
  EXPECT_EQ(names.of(1)[0].count, 2u) << "of the first nobody knows where it came from";
}

TEST(TraceNames, OtherCpusAreNobodysBusiness) {
  EXPECT_TRUE(named({3}).of(3).empty());
  EXPECT_TRUE(named({1}).of(2).empty());
  EXPECT_EQ(named({0, 1}).of(0).size(), 1u) << "the mask's IPI";
}

TEST(TraceNames, WhatIsNoEventIsNone) {
  for (const char* line : {"", "#", "CPU:1 [LOST 3 EVENTS]", "  bash-1 [abc] d... 1.0: x: y",
                           "  bash-1 [001] d... 1.0: x", "  bash-1 [001"})
    EXPECT_FALSE(parse_trace_line(line)) << line;
  const auto bracketed = parse_trace_line("   a [2] b-9   [001] d..2. 1.5: sched_switch: z");
  ASSERT_TRUE(bracketed);
  EXPECT_EQ(bracketed->event, "sched_switch");
}

}  // namespace
}  // namespace maxlat::shield
