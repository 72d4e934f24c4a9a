// SPDX-License-Identifier: MIT
#include "load/kernel_trace_spec.hpp"

#include <gmock/gmock.h>

namespace maxlat::npt {
namespace {

using testing::HasSubstr;

TEST(KernelTraceSpec, AloneKeepsTheNewestOfTheChosenEvents) {
  const auto spec = parse_kernel_trace("trace");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->by, KernelTraceSpec::By::tracefs);
  EXPECT_FALSE(spec->is_drained());
}

TEST(KernelTraceSpec, NamesTheModule) {
  const auto spec = parse_kernel_trace("trace:maxlat");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->by, KernelTraceSpec::By::module);
}

TEST(KernelTraceSpec, AllEventsAndSystemCallsHaveThePapersBuffers) {
  for (const char* text : {"trace:all", "trace:syscalls", "trace:all,size=4M,count=32"}) {
    const auto spec = parse_kernel_trace(text);
    ASSERT_TRUE(spec) << text;
    EXPECT_TRUE(spec->is_drained());
    EXPECT_EQ(spec->sub_buffer_bytes, 4u << 20);
    EXPECT_EQ(spec->sub_buffers, 32u);
  }
}

TEST(KernelTraceSpec, SizeAndCount) {
  const auto spec = parse_kernel_trace("trace:syscalls,count=8,size=64k");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->events, KernelTraceSpec::Events::syscalls);
  EXPECT_EQ(spec->sub_buffer_bytes, 65536u);
  EXPECT_EQ(spec->sub_buffers, 8u);
}

TEST(KernelTraceSpec, RefusesWhatIsNone) {
  const struct {
    const char* text;
    const char* reason;
  } refused[] = {{"tea", "no load \"tea\""},
                 {"", "no load \"\""},
                 {"trace:perf", "no load \"trace:perf\""},
                 {"trace,size=4M", "no option \"size=4M\" of this load"},
                 {"trace:maxlat,count=4", "no option \"count=4\" of this load"},
                 {"trace:all,cpu", "no option \"cpu\" of this load"},
                 {"trace:all,", "no option \"\" of this load"},
                 {"trace:all,size=3M", "\"size=3M\" is no power of two from 4k to 1G"},
                 {"trace:all,size=", "\"size=\" is no power of two"},
                 {"trace:all,count=1", "\"count=1\" is no power of two from 2 to 1k"},
                 {"trace:all,size=1G,count=2", "2 sub-buffers of 1G are more than 1G"}};
  for (const auto& one : refused) {
    const auto spec = parse_kernel_trace(one.text);
    ASSERT_FALSE(spec) << one.text;
    EXPECT_THAT(spec.error().text, HasSubstr(one.reason));
    EXPECT_FALSE(spec.error().hint.empty()) << one.text;
  }
}

}  // namespace
}  // namespace maxlat::npt
