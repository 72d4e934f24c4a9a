// SPDX-License-Identifier: MIT
#include "directory/kept_groups.hpp"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>

#include "sensors/test_group.hpp"
#include "sensors/test_group_copy.hpp"
#include "shm/container_layout.h"

namespace maxlat::sensors {
namespace {

using namespace detail;
using test::Counted;
using test::GroupCopy;
using test::TestGroup;

// A copy of this process's group, as another one.
GroupView copy_of_group(std::uint16_t number) {
  const GroupCopy copy("model");
  std::memcpy(copy.bytes() + offsetof(maxlat_shm_header, uuid), &number, sizeof number);
  auto group = GroupView::attach(copy.descriptor());
  if (!group) throw std::runtime_error(group.error().text);
  return std::move(*group);
}

constexpr pid_t kNobody = 1 << 30;  // above the kernel's largest, and so are those behind it

TEST(KeptGroups, KeepsTheLastThatEnded) {
  const TestGroup<Counted> model("model");
  KeptGroups kept({.programs = 2}, {});
  for (std::uint16_t i = 1; i <= 4; ++i) EXPECT_TRUE(kept.take(copy_of_group(i), kNobody + i, 1000));
  EXPECT_TRUE(kept.take(copy_of_group(5), kNobody + 5, 1001)) << "another user's are others";
  std::vector<std::uint64_t> serials;
  for (const auto& [serial, group] : kept.all()) serials.push_back(serial);
  EXPECT_EQ(serials, (std::vector<std::uint64_t>{3, 4, 5}));
}

TEST(KeptGroups, OfAProgramAllGroupsAreKeptOrNone) {
  const TestGroup<Counted> model("model");
  KeptGroups kept({.programs = 2}, {});
  std::uint16_t number = 0;
  for (const int program : {7, 8, 9})
    for (int group = 0; group < 3; ++group) EXPECT_TRUE(kept.take(copy_of_group(++number), kNobody + program, 1000));
  EXPECT_EQ(kept.all().size(), 6u);
  for (const auto& [serial, group] : kept.all()) EXPECT_NE(group.pid, kNobody + 7);
}

TEST(KeptGroups, ARunningOneIsNeverDroppedForThoseThatEnded) {
  const TestGroup<Counted> model("model");
  KeptGroups kept({.programs = 1}, {});
  EXPECT_TRUE(kept.take(copy_of_group(1), getpid(), 1000));
  EXPECT_FALSE(kept.take(copy_of_group(1), getpid(), 1000)) << "it is there already";
  for (std::uint16_t i = 2; i <= 4; ++i) EXPECT_TRUE(kept.take(copy_of_group(i), kNobody + i, 1000));
  EXPECT_EQ(kept.all().size(), 2u);
  EXPECT_EQ(kept.all().begin()->second.ended, 0u);
}

TEST(KeptGroups, AProcessNumberThatIsAnothersByNowIsRefused) {
  const TestGroup<Counted> model("model");
  KeptGroups kept({.programs = 2}, {});
  const GroupCopy copy("model");
  reinterpret_cast<maxlat_shm_header*>(copy.bytes())->pid_start_time ^= 1;
  EXPECT_FALSE(kept.take(*GroupView::attach(copy.descriptor()), getpid(), 1000));
}

TEST(KeptGroups, OfTooManyThatRunTheOldestGoes) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < 3 * kMostGroups) GTEST_SKIP() << "too few descriptors";
  const TestGroup<Counted> model("model");
  KeptGroups kept({.programs = 2}, {});
  for (std::size_t i = 0; i < kMostGroups; ++i)
    ASSERT_TRUE(kept.take(copy_of_group(static_cast<std::uint16_t>(i)), getpid(), 1000)) << i;
  EXPECT_EQ(kept.all().begin()->first, 1u);
  EXPECT_TRUE(kept.take(copy_of_group(5000), getpid(), 1000));
  EXPECT_EQ(kept.all().begin()->first, 2u);
  EXPECT_TRUE(kept.take(copy_of_group(5000), getpid(), 1001));
  EXPECT_EQ(kept.all().begin()->first, 2u) << "each user has so many";
}

TEST(KeptGroups, WhatCouldGrowIsNotTaken) {
  const TestGroup<Counted> model("model");
  const GroupCopy copy("model");
  const base::Descriptor growing(memfd_create("growing", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const auto size = static_cast<ssize_t>(copy.good().size());
  ASSERT_EQ(write(growing.number(), copy.good().data(), copy.good().size()), size);
  ASSERT_EQ(fcntl(growing.number(), F_ADD_SEALS, F_SEAL_SHRINK | 0x0010 /* F_SEAL_FUTURE_WRITE */), 0);
  KeptGroups kept({}, {});
  EXPECT_FALSE(kept.take(*GroupView::attach(growing.number()), kNobody, 1000));
  EXPECT_TRUE(kept.take(copy_of_group(1), kNobody, 1000));
}

TEST(KeptGroups, AUserHasSoManyBytes) {
  const TestGroup<Counted> model("model");
  const std::uint64_t each = GroupCopy("model").good().size();
  KeptGroups kept({.ended_bytes = 4 * each, .bytes = 6 * each, .all_bytes = 8 * each}, {});
  std::uint16_t number = 0;
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(kept.take(copy_of_group(++number), kNobody + i, 1000));
  EXPECT_EQ(kept.all().size(), 4u) << "of the ended";
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(kept.take(copy_of_group(++number), getpid(), 1000));
  EXPECT_FALSE(kept.take(copy_of_group(++number), getpid(), 1000)) << "in all";
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(kept.take(copy_of_group(++number), getpid(), 1001));
  EXPECT_FALSE(kept.take(copy_of_group(++number), getpid(), 1002)) << "of all users";
}

bool sees(const KeptGroups& kept, const Peer& peer) {
  return kept.next(0, false, peer) != nullptr;
}

TEST(KeptGroups, RulesSayWhoElseMaySee) {
  const TestGroup<Counted> model("model");
  const std::string program = program_invocation_short_name;
  const auto rules = directory_rules("# who may\nallow 2000 " + program +
                                     "/model\n\n allow @300 */mod*  # a group\nallow 2001 other/*\nallow 2003 *");
  ASSERT_TRUE(rules) << rules.error().text;
  KeptGroups kept({.programs = 2}, *rules);
  EXPECT_TRUE(kept.take(copy_of_group(1), kNobody, 1000));
  for (const uid_t user : {0u, 1000u, 2000u, 2003u}) EXPECT_TRUE(sees(kept, {.user = user})) << user;
  for (const uid_t user : {999u, 2001u}) EXPECT_FALSE(sees(kept, {.user = user})) << user;
  EXPECT_TRUE(sees(kept, {.user = 999, .groups = {5, 300}}));
  EXPECT_FALSE(sees(kept, {.user = 999, .groups = {5, 301}}));
  kept.set_rules(*directory_rules("allow 999 *"));
  EXPECT_TRUE(sees(kept, {.user = 999}));
  EXPECT_FALSE(sees(kept, {.user = 2000})) << "those of before are gone";
}

TEST(KeptGroups, OnlyItsOwnerMayForget) {
  const TestGroup<Counted> model("model");
  KeptGroups kept({.programs = 5}, *directory_rules("allow * *"));
  EXPECT_TRUE(kept.take(copy_of_group(1), kNobody, 1000));
  EXPECT_TRUE(kept.take(copy_of_group(2), getpid(), 1000));
  const auto forget = [&](std::uint64_t serial, uid_t user) {
    const KeptGroup& group = kept.all().at(serial);
    return kept.forget(group.uuid, group.pid, {.user = user});
  };
  EXPECT_TRUE(sees(kept, {.user = 1001}));
  EXPECT_FALSE(forget(1, 1001));
  EXPECT_TRUE(forget(1, 1000));
  EXPECT_TRUE(forget(2, 0)) << "root, and whether it runs or not";
  EXPECT_TRUE(kept.all().empty());
}

TEST(DirectoryRules, NamesAreOfTheFiles) {
  const auto rules = directory_rules("allow root a/a\nallow @root b/b\nallow * c/c\n");
  ASSERT_TRUE(rules) << rules.error().text;
  ASSERT_EQ(rules->size(), 3u);
  EXPECT_EQ((*rules)[0].user, 0u);
  EXPECT_EQ((*rules)[1].users, 0u);
  EXPECT_FALSE((*rules)[2].user || (*rules)[2].users);
}

TEST(DirectoryRules, WhatIsNoneIsTold) {
  for (const auto& [text, told] : {
           std::pair{"allow * a/a\nallow nobody-of-that-name x/y", "line 2: no such user: nobody-of-that-name"},
           {"allow @none-such x/y", "line 1: no such group: @none-such"},
           {"allow root x", "line 1: not PROGRAM/GROUP: \"x\""},
           {"allow root x/y/z", "line 1: not PROGRAM/GROUP: \"x/y/z\""},
           {"deny root x", "line 1: not a rule: \"deny root x\""},
           {"allow root", "line 1: not a rule: \"allow root\""},
           {"allow root x y", "line 1: not a rule: \"allow root x y\""},
       }) {
    const auto rules = directory_rules(text);
    ASSERT_FALSE(rules) << text;
    EXPECT_EQ(rules.error().text, told);
  }
}

}  // namespace
}  // namespace maxlat::sensors
