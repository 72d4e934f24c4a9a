// SPDX-License-Identifier: MIT
#include "interrupts.hpp"

#include <gtest/gtest.h>

namespace maxlat::npt {
namespace {

TEST(Interrupts, TheLabelIsWhatTheProcessorSays) {
  const OffBy module = OffBy::module_in_user_space;
  EXPECT_EQ(interrupts_label(module, true, CliEffect::ignored, true), "on");
  EXPECT_EQ(interrupts_label(module, false, CliEffect::ignored, true), "on: cli ignored by this kernel");
  EXPECT_EQ(interrupts_label(module, false, CliEffect::faults, true), "on");
  EXPECT_EQ(interrupts_label(module, false, CliEffect::not_permitted, true), "on");
  EXPECT_EQ(interrupts_label(module, false, CliEffect::ignored, false), "off (module, user space)");
  EXPECT_EQ(interrupts_label(OffBy::kernel_loop, false, CliEffect::ignored, false), "off (kernel loop)");
  EXPECT_EQ(interrupts_label(OffBy::kernel_loop, false, CliEffect::ignored, true), "on: cli ignored by this kernel");
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
