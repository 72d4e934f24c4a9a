// SPDX-License-Identifier: MIT
#include "kernel/system_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <maxlat/attribution/lttng_names.hpp>
#include <string>
#include <vector>

namespace maxlat::trace_tools {
namespace {

using testing::ElementsAre;

TEST(SystemCalls, HaveTheNamesOfThisMachine) {
  EXPECT_EQ(system_call_name(SYS_openat), "openat");
  EXPECT_EQ(system_call_name(SYS_clock_nanosleep), "clock_nanosleep");
  EXPECT_EQ(system_call_name(-1), "unknown");
  EXPECT_EQ(system_call_name(1 << 20), "unknown");
}

// Trace Compass knows an entry by "syscall_entry_", an exit by "syscall_exit_".
TEST(SystemCalls, EachIsAnEventAsLttngCallsItOnce) {
  std::vector<std::string> added;
  const auto add = [&](const trace::EventDescription& event) {
    added.emplace_back(event.name);
    return static_cast<std::uint32_t>(100 + added.size());
  };
  const std::string enter = attribution::lttng_event_name("raw_syscalls", "sys_enter");
  const trace::EventDescription any{.provider = "", .name = enter, .level = trace::Level::info, .fields = {}};
  SystemCallEvents calls;
  EXPECT_EQ(calls.of(SYS_read, any, add), 101u);
  EXPECT_EQ(calls.of(SYS_futex, any, add), 102u);
  EXPECT_EQ(calls.of(SYS_read, any, add), 101u);
  EXPECT_EQ(calls.of(-7, any, add), 103u);
  EXPECT_THAT(added, ElementsAre("syscall_entry_read", "syscall_entry_futex", "syscall_entry_unknown"));
}

}  // namespace
}  // namespace maxlat::trace_tools
