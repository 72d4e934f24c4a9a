// SPDX-License-Identifier: MIT
#include "interrupts.hpp"

#include <gtest/gtest.h>

namespace maxlat::npt {
namespace {

TEST(Interrupts, TheLabelIsWhatTheProcessorSays) {
  EXPECT_EQ(interrupts_label(true, CliEffect::not_permitted, true), "on");
  EXPECT_EQ(interrupts_label(false, CliEffect::ignored, true), "on: cli ignored by this kernel");
  EXPECT_EQ(interrupts_label(false, CliEffect::faults, true), "on: cli faults on this kernel");
  EXPECT_EQ(interrupts_label(false, CliEffect::not_permitted, true), "on: iopl not permitted");
  EXPECT_EQ(interrupts_label(false, CliEffect::ignored, false), "off");
}

TEST(Interrupts, AreOnInThisTest) {
  EXPECT_TRUE(interrupts_enabled());
}

TEST(Interrupts, TryingCliDoesNoHarmWhateverItDoes) {
  const CliEffect effect = try_cli();
  EXPECT_TRUE(interrupts_enabled());
  EXPECT_EQ(effect, try_cli());
}

}  // namespace
}  // namespace maxlat::npt
