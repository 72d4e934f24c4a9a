// SPDX-License-Identifier: MIT
#include "tracer_format.hpp"

#include <gtest/gtest.h>

#include <string>

namespace maxlat::hwlat {
namespace {

TEST(TracerFormat, ReadsARecord) {
  const auto record = parse_tracer_line(
      "           <...>-1729    [001] d....   714.914437: #1     inner/outer(us):   12/14    ts:1617726545.463532131 "
      "count:3");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->cpu, 1u);
  EXPECT_EQ(record->sequence, 1u);
  EXPECT_EQ(record->inner_us, 12u);
  EXPECT_EQ(record->outer_us, 14u);
  EXPECT_EQ(record->realtime_ns, 1617726545463532131u);
  EXPECT_EQ(record->count, 3u);
  EXPECT_EQ(record->nmi_count, 0u);
}

TEST(TracerFormat, ReadsNmisAndAThreadNameWithBrackets) {
  const auto record = parse_tracer_line(
      "  hw[3]x-88  [127] dn.1.  1.000001: #204  inner/outer(us): 1005/9     ts:7.000000001 count:1 nmi-total:4 "
      "nmi-count:2");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->cpu, 127u);
  EXPECT_EQ(record->inner_us, 1005u);
  EXPECT_EQ(record->outer_us, 9u);
  EXPECT_EQ(record->realtime_ns, 7000000001u);
  EXPECT_EQ(record->nmi_total_ns, 4u);
  EXPECT_EQ(record->nmi_count, 2u);
}

TEST(TracerFormat, AnOldKernelTellsNoCount) {
  const auto record = parse_tracer_line("<...>-1 [000] d... 1.0: #1 inner/outer(us): 12/14 ts:1.5");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->count, 1u);
}

TEST(TracerFormat, ATornLineIsNoRecord) {
  const std::string whole = "<...>-1729 [001] d.... 714.914437: #1 inner/outer(us):   12/14    ts:1617726545.4";
  ASSERT_TRUE(parse_tracer_line(whole));
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(parse_tracer_line(whole.substr(0, length))) << whole.substr(0, length);
  }
  EXPECT_FALSE(parse_tracer_line("# tracer: hwlat"));
  EXPECT_FALSE(parse_tracer_line("inner/outer(us): 1/2 ts:3.4"));
}

TEST(TracerFormat, LostEventsAreCounted) {
  EXPECT_EQ(parse_lost_line("CPU:2 [LOST 5 EVENTS]"), 5u);
  EXPECT_EQ(parse_lost_line("CPU:2 [LOST FEW EVENTS]"), 0u);
  EXPECT_EQ(parse_lost_line("<...>-1 [000] d... 1.0: #1 inner/outer(us): 12/14 ts:1.5"), 0u);
}

}  // namespace
}  // namespace maxlat::hwlat
