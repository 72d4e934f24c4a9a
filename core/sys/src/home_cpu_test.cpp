// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/sys/home_cpu.hpp>
#include <maxlat/test/moved_thread.hpp>

namespace maxlat::core {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(HomeCpu, WhoIsBoundStays) {
  test::on_a_bound_thread([](const HomeCpu& home, const CpuList&) {
    EXPECT_TRUE(home.is_here());
    EXPECT_THAT(home.why_left(false), IsEmpty());
  });
}

TEST(HomeCpu, WhoIsMovedIsAway) {
  test::on_a_moved_thread([](const HomeCpu& home) {
    EXPECT_FALSE(home.is_here());
    EXPECT_THAT(home.why_left(false), HasSubstr("was moved to another"));
  });
}

// As the kernel leaves a thread whose CPU went and came back: it may be there again, and need not stay.
TEST(HomeCpu, WhoMayGoHasLeftThoughItIsThereAgain) {
  test::on_a_bound_thread([](const HomeCpu& home, const CpuList& cpus) {
    if (cpus.size() < 2) GTEST_SKIP() << "there is no other CPU";
    ASSERT_TRUE(AffinityMask(cpus).apply(0));
    EXPECT_THAT(home.why_left(false), HasSubstr("was moved to another"));
    ASSERT_TRUE(AffinityMask({cpus.front()}).apply(0));
    EXPECT_THAT(home.why_left(false), IsEmpty());
    EXPECT_THAT(home.why_left(true), HasSubstr("was moved")) << "seen elsewhere, and bound again since";
  });
}

TEST(HomeCpu, WhoIsBoundToNothingIsNeverAway) {
  EXPECT_TRUE(HomeCpu().is_here());
  EXPECT_THAT(HomeCpu().why_left(false), IsEmpty());
}

TEST(HomeCpu, WhoWasMovedBeforeTheFirstLookIsAway) {
  test::on_a_bound_thread([](const HomeCpu&, const CpuList&) {
    const HomeCpu another = HomeCpu::of_this_thread(kLargestCpu);
    EXPECT_FALSE(another.is_here());
    EXPECT_THAT(another.why_left(false), HasSubstr("went offline"));
  });
}

}  // namespace
}  // namespace maxlat::core
