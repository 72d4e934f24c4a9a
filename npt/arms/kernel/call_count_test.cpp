// SPDX-License-Identifier: MIT
#include "call_count.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <maxlat/npt/arm.hpp>

#include "arms/arm_folder.hpp"
#include "kernel_tracer.hpp"
#include "raw_system_calls.hpp"

namespace maxlat::npt {
namespace {

constexpr int64_t kOurs = SYS_getppid, kAnother = SYS_read;

TEST(CallCount, ACallHasBothItsEvents) {
  CallCount calls;
  calls.enter(1, kOurs, kMarkOfACall, 1);
  EXPECT_EQ(calls.calls(), 0u);
  calls.exit(1, kOurs);
  calls.exit(1, kOurs);  // of a call whose entry was lost
  calls.enter(1, kOurs, kMarkOfACall, 4);
  calls.enter(1, kOurs, kMarkOfACall, 5);  // the exit of 4 was lost
  calls.exit(1, kOurs);
  EXPECT_EQ(calls.calls(), 2u);
  EXPECT_EQ(calls.events(), 6u);
  EXPECT_TRUE(calls.in_order());
}

TEST(CallCount, OthersCallsAreNotOurs) {
  CallCount calls;
  calls.enter(0, kOurs, 0, 1);  // another program's
  calls.exit(0, kOurs);
  calls.enter(0, kAnother, kMarkOfACall, 1);
  calls.exit(0, kAnother);
  EXPECT_EQ(calls.calls(), 0u);
  calls.enter(0, kOurs, kMarkOfACall, 1);
  calls.exit(0, kAnother);  // an interrupted thread's
  calls.exit(7, kOurs);
  EXPECT_EQ(calls.calls(), 0u);
  calls.exit(0, kOurs);
  EXPECT_EQ(calls.calls(), 1u);
}

TEST(CallCount, EachCpuHasItsOwnNumbers) {
  CallCount calls;
  for (const unsigned cpu : {3u, 0u}) {
    calls.enter(cpu, kOurs, kMarkOfACall, 1);
    calls.exit(cpu, kOurs);
  }
  EXPECT_EQ(calls.calls(), 2u);
  EXPECT_TRUE(calls.in_order());
  calls.enter(3, kOurs, kMarkOfACall, 1);
  EXPECT_FALSE(calls.in_order()) << "a call twice";
}

// What a tracer that is not there says, or one that lacks the event: one line, and "cannot run".
TEST(KernelTracer, AnEventThatNobodyHasIsNamed) {
  auto folder = ArmFolder::make();
  ASSERT_TRUE(folder.ok());
  for (auto* const make : {make_ftrace_tracer, make_maxlat_tracer, make_perf_tracer}) {
    const core::Status started = make()->start({.cpus = {0},
                                                .patterns = {"sched:sched_swich"},
                                                .sub_buffer_bytes = 65536,
                                                .sub_buffers = 2,
                                                .folder = &*folder});
    ASSERT_FALSE(started.ok());
    EXPECT_EQ(started.error().exit_status, core::Exit::cannot_run) << started.error().text;
    EXPECT_EQ(started.error().text.find('\n'), std::string::npos);
    const bool is_here = started.error().text.find("event") != std::string::npos;  // else it says what is not
    EXPECT_TRUE(!is_here || started.error().text.find("sched:sched_swich") != std::string::npos)
        << started.error().text;
  }
}

}  // namespace
}  // namespace maxlat::npt
