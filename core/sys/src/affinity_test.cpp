// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/sys/affinity.hpp>
#include <thread>

namespace maxlat::core {
namespace {

TEST(AffinityMask, AThreadIsMovedToTheCpusOfTheMaskAndNoOther) {
  const CpuList before = *allowed_cpus();
  std::thread([&] {
    ASSERT_TRUE(AffinityMask(CpuList{before.back()}).apply(0));
    EXPECT_THAT(*allowed_cpus(), testing::ElementsAre(before.back()));
  }).join();
  EXPECT_EQ(*allowed_cpus(), before);
}

// cpu_set_t ends at CPU 1023: what lies above must neither be lost nor written past its end.
TEST(AffinityMask, ACpuBeyondEveryFixedWidthIsTaken) {
  const CpuList before = *allowed_cpus();
  std::thread([&] {
    ASSERT_TRUE(AffinityMask({before.front(), 4099, 65535}).apply(0));
    EXPECT_THAT(*allowed_cpus(), testing::ElementsAre(before.front()));
    EXPECT_FALSE(AffinityMask(CpuList{4099}).apply(0)) << "none of these CPUs is there";
    EXPECT_EQ(errno, EINVAL);
  }).join();
}

TEST(AffinityMask, NoCpuIsRefused) {
  EXPECT_TRUE(AffinityMask(CpuList{}).empty());
  EXPECT_TRUE(AffinityMask().empty());
  EXPECT_FALSE(AffinityMask(CpuList{}).apply(0));
}

TEST(OffCpus, LeavesTheCpusWhileItLivesAndOnlyThen) {
  const CpuList before = *allowed_cpus();
  if (before.size() < 2) GTEST_SKIP() << "one CPU";
  {
    const OffCpus off({before.front()});
    EXPECT_TRUE(off.elsewhere());
    EXPECT_EQ(*allowed_cpus(), difference(before, {before.front()}));
  }
  EXPECT_EQ(*allowed_cpus(), before);
  const OffCpus nowhere_to_go(before);
  EXPECT_FALSE(nowhere_to_go.elsewhere());
  EXPECT_EQ(*allowed_cpus(), before);
}

TEST(OffCpus, SaysWhereTheProcessIsBoundToThemThoughTheBoxHasOthers) {
  const CpuList before = *allowed_cpus();
  if (before.size() < 2) GTEST_SKIP() << "one CPU";
  std::thread([&] {
    ASSERT_TRUE(AffinityMask(CpuList{before.front()}).apply(0));
    const OffCpus bound({before.front()});
    EXPECT_FALSE(bound.elsewhere());
    EXPECT_THAT(bound.shares_them_because(), testing::StartsWith("the whole process is bound to the measured CPUs"));
  }).join();
  EXPECT_EQ(OffCpus({before.front()}).shares_them_because(), "");
  EXPECT_EQ(OffCpus(*online_cpus()).shares_them_because(), "") << "there are no others";
}

}  // namespace
}  // namespace maxlat::core
