// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/result/interference.hpp>

namespace maxlat::core {
namespace {

using testing::HasSubstr;
using testing::Not;

const CpuInterference kThree{
    .cpu = 3,
    .watched_ns = 2e9,
    .undisturbed_ns = 2e9 - 1'000'000 - 30'000 - 500,
    .rows = {{.kind = TimeClass::hrtimer, .name = "on_stall", .count = 4, .ns = 1e6, .largest_ns = 300'000},
             {.kind = TimeClass::local_timer, .count = 500, .ns = 30'000, .largest_ns = 900},
             {.kind = TimeClass::irq, .name = "24 eth0", .count = 1, .ns = 500, .largest_ns = 500}}};

TEST(Interference, EachRowSaysHowOftenHowLongAndTheLongest) {
  const std::string text = interference_text(kThree, 10, "# ");
  EXPECT_THAT(text, HasSubstr("# CPU 3: 99.9485 % of 2 s idle or the meter's own\n"));
  EXPECT_THAT(text, HasSubstr("#     4  1.00 ms  0.0500 %   300 us  hrtimer on_stall\n"));
  EXPECT_THAT(text, HasSubstr("local timer\n"));
  EXPECT_THAT(text, HasSubstr("irq 24 eth0\n"));
}

TEST(Interference, WhatHasNoRoomIsSummedUp) {
  const std::string text = interference_text(kThree, 1, "");
  EXPECT_THAT(text, HasSubstr("501  30.5 us  0.0015 %   900 ns  2 others\n"));
  EXPECT_THAT(text, Not(HasSubstr("local timer")));
  EXPECT_THAT(interference_text(kThree, 2, ""), HasSubstr("irq 24 eth0")) << "one alone has the line itself";
}

}  // namespace
}  // namespace maxlat::core
