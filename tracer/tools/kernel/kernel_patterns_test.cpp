// SPDX-License-Identifier: MIT
//
// Over a folder that looks like tracefs.
#include "kernel_patterns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/test/temporary_folder.hpp>
#include <maxlat/trace/kernel/kernel_events.hpp>

namespace maxlat::trace_tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Patterns : public testing::Test {
 protected:
  Patterns() {
    for (const char* event : {"sched/sched_switch", "sched/sched_waking", "irq/irq_handler_entry", "irq/softirq_entry"})
      root_.write(std::string("sys/kernel/tracing/events/") + event + "/enable", "0\n");
    root_.write("sys/kernel/tracing/available_tracers", "nop\n");
  }
  test::TemporaryFolder root_;
};

TEST_F(Patterns, OfASubsystemAreTheKernels) {
  const auto split = split_patterns({"sched:*", "motor:*", "*:*", "irq:soft*", "i?q:*", "step"}, root_.path());
  ASSERT_TRUE(split) << split.error().text;
  EXPECT_THAT(split->kernel, ElementsAre("sched:*", "irq:soft*", "i?q:*"));
  EXPECT_THAT(split->programs, ElementsAre("motor:*", "*:*", "step"));
}

TEST_F(Patterns, OfAFunctionAreTheKernels) {
  const auto split = split_patterns({"kprobe:do_nanosleep", "kprobes:step"}, root_.path());
  ASSERT_TRUE(split) << split.error().text;
  EXPECT_THAT(split->kernel, ElementsAre("kprobe:do_nanosleep"));
  EXPECT_THAT(split->programs, ElementsAre("kprobes:step"));
}

TEST_F(Patterns, AnEventThatASubsystemLacksIsAMistake) {
  const auto split = split_patterns({"sched:sched_swich"}, root_.path());
  ASSERT_FALSE(split);
  EXPECT_EQ(split.error().text, "this kernel has no event \"sched:sched_swich\"");
  EXPECT_THAT(split.error().hint, HasSubstr("/events/sched"));
}

// A defect: what our module has in its own table was refused, too.
TEST_F(Patterns, WithoutTracefsTheModulesTableAnswers) {
  const test::TemporaryFolder empty;
  const auto split = split_patterns({"sched:*", "machine:machine_counts", "kprobe:f", "*:*", "step"}, empty.path());
  ASSERT_TRUE(split) << split.error().text;
  EXPECT_THAT(split->kernel, ElementsAre("sched:*", "machine:machine_counts", "kprobe:f"));
  EXPECT_THAT(split->programs, ElementsAre("*:*", "step"));
  const auto unknown = split_patterns({"sched:*", "block:*"}, empty.path());
  ASSERT_FALSE(unknown) << "nobody tells whether it is the kernel's";
  EXPECT_EQ(unknown.error().exit_status, core::Exit::cannot_run);
}

// A defect: sched_pi_setprio was among them, the module had no such event, and said nothing.
TEST(DefaultPatterns, AreOfTheModulesTable) {
  for (const std::string& pattern : default_kernel_patterns())
    EXPECT_NE(trace::kernel_events_matching(pattern), 0u) << pattern;
}

}  // namespace
}  // namespace maxlat::trace_tools
