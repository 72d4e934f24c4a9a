// SPDX-License-Identifier: MIT
// Whose memory a group is, when it ends and there is no memory for what its end needs.
#include <sys/mman.h>

#include <maxlat/sensors/group.hpp>
#include <new>
#include <optional>

#include "sensors/test_group.hpp"

namespace {

using namespace maxlat::sensors;
using namespace maxlat::sensors::test;

// The number of its memory, so that it is known to be that one; and then it has none.
void lose_descriptor(const std::string& group) {
  close(number_of(group));
}

bool is_found(std::string_view name) {
  const auto groups = find_groups(getpid());
  for (const GroupView& each : *groups)
    if (each.group() == name) return true;
  return false;
}

TEST(OwnedGroup, IsWithdrawnAtItsEnd) {
  for (int each = 0; each < 2; ++each) {
    OwnedGroup<Counted> group;
    ASSERT_TRUE(group.publish("owned")) << "the name is free";
    EXPECT_TRUE(is_found("owned"));
  }
  EXPECT_FALSE(is_found("owned"));
}

TEST(OwnedGroup, CanBeMoved) {
  std::optional<OwnedGroup<Counted>> moved;
  {
    OwnedGroup<Counted> group;
    ASSERT_TRUE(group.publish("moved"));
    moved.emplace(std::move(group));
  }
  EXPECT_TRUE(is_found("moved"));
  (*moved)->count.add();
  moved.reset();
  EXPECT_FALSE(is_found("moved"));
}

std::uint64_t count_of(const Counted& sensors) {
  return reinterpret_cast<const maxlat_counter&>(sensors.count).value;
}

// Under AddressSanitizer, to look at memory that was given back ends the child; so does a fork, which copies it.
TEST(OwnedGroup, ThatCannotBeWithdrawnKeepsItsMemory) {
  EXPECT_EQ(in_child([] {
              std::optional<OwnedGroup<Counted>> group(std::in_place);
              if (!group->publish("kept")) return 1;
              const GroupView view = view_of("kept");
              Counted& sensors = **group;
              {
                const NoMoreMemory limit;
                group.reset();
              }
              sensors.count.add(3);
              if (count_of(sensors) != 3) return 2;
              if (in_child([&] { return sensors.count.add(100), 3; }) != 3) return 3;
              return value_of<CounterValue>(view, "count").value == 3 ? 0 : 4;
            }),
            0);
}

// The child has the parent's pages, to read alone, or page by page: neither is a heap's to have back.
TEST(OwnedGroup, InAChildWithoutMemoryForACopyKeepsItsMemory) {
  for (const bool lost : {false, true})
    EXPECT_EQ(in_child([&] {
                std::optional<OwnedGroup<Counted>> group(std::in_place);
                if (!group->publish("parents")) return 1;
                const Counted& sensors = **group;
                if (lost) lose_descriptor("parents");
                const NoMoreMemory limit;
                return in_child([&] { return group.reset(), count_of(sensors) == 0 ? 0 : 2; });
              }),
              0)
        << lost;
}

// When there is memory again, the child has a copy of its own at last, and can give it back.
TEST(OwnedGroup, InAChildIsWithdrawnWhenThereIsMemoryAgain) {
  EXPECT_EQ(in_child([&] {
              std::optional<OwnedGroup<Counted>> group(std::in_place);
              if (!group->publish("parents")) return 1;
              lose_descriptor("parents");
              std::optional<NoMoreMemory> limit(std::in_place);
              return in_child([&] {
                limit.reset();
                if (!withdraw_group(&group->pages())) return 2;
                (*group)->count.add();
                return 0;
              });
            }),
            0);
}

// A library that is unloaded: its pages go, others come to their place, and a fork leaves these alone.
TEST(PublishedGroup, ThatCannotBeWithdrawnIsForgotten) {
  for (const bool lost : {false, true})
    EXPECT_EQ(in_child([&] {
                using Group = SensorGroup<Counted>;
                constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS;
                void* const pages = mmap(nullptr, sizeof(Group), PROT_READ | PROT_WRITE, kFlags, -1, 0);
                std::optional<PublishedGroup> published;
                published.emplace(*new (pages) Group, "library");
                if (!is_found("library")) return 1;
                if (lost) lose_descriptor("library");
                {
                  const NoMoreMemory limit;
                  published.reset();
                }
                mmap(pages, sizeof(Group), PROT_NONE, kFlags | MAP_FIXED, -1, 0);
                return in_child([] { return 0; });
              }),
              0)
        << lost;
}

}  // namespace
