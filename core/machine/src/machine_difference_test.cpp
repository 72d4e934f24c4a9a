// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/machine/machine_difference.hpp>

namespace maxlat::core {
namespace {

const std::vector<FingerprintGroup> kHere = {{"cpu", "1", {{"model name", "A"}, {"online", "0-1"}}},
                                             {"kernel", "2", {{"release", "6.12"}, {"tainted", "0"}}}};

TEST(MachineDifference, TheSameMachineDiffersInNothing) {
  EXPECT_TRUE(machine_differences(kHere, kHere).empty());
}

TEST(MachineDifference, NamesGroupAndValues) {
  auto there = kHere;
  there[1].values = {{"release", "6.1"}, {"preemption", "full"}};
  const auto differences = machine_differences(kHere, there);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].group, "kernel");
  EXPECT_EQ(differences[0].values.size(), 3u) << "one changed, one is gone, one has come";
  EXPECT_EQ(to_string(differences[0]), "kernel: release is 6.12, was 6.1; and 2 further values");
  EXPECT_EQ(to_string(differences[0], 2),
            "kernel: release is 6.12, was 6.1; tainted is 0, was not there; and 1 further value");
  EXPECT_EQ(to_string(differences[0], 9), with_all_values(differences[0]));
  EXPECT_EQ(with_all_values(differences[0]),
            "kernel: release is 6.12, was 6.1; tainted is 0, was not there; preemption is not there, was full");
}

// A defect: sixty values were told as different, each as "not there".
TEST(MachineDifference, AGroupThatOnlyOneTellsHasNoValueThatDiffers) {
  const auto differences = machine_differences({kHere[0]}, kHere);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(to_string(differences[0]), "kernel: is not told, was told");
  auto there = kHere;
  there[1].values.clear();
  const auto others = machine_differences(kHere, there);
  ASSERT_EQ(others.size(), 1u);
  EXPECT_EQ(with_all_values(others[0]), "kernel: is told, was not told");
}

// A box without a module tells that as well, and a run without notes has none; an older result tells of no modules.
TEST(MachineDifference, WhatThereMayBeNoneOfIsToldWithoutAValue) {
  const std::vector<FingerprintGroup> none = {{"modules", "1", {}}};
  const std::vector<FingerprintGroup> some = {{"modules", "2", {{"kvm", "loaded"}}}, {"notes", "3", {{"who", "me"}}}};
  const auto differences = machine_differences(some, none);
  ASSERT_EQ(differences.size(), 2u);
  EXPECT_EQ(to_string(differences[0]), "modules: kvm is loaded, was not there");
  EXPECT_EQ(to_string(differences[1]), "notes: who is me, was not there");
  EXPECT_EQ(to_string(machine_differences({}, some)[0]), "modules: is not told, was told");
}

}  // namespace
}  // namespace maxlat::core
