// SPDX-License-Identifier: MIT
// The container: what a reader takes of other versions and what it refuses, objects that come and change, and a kind as
// one row. What a hostile producer can do: session_memory_test.cpp, fuzz_session.cpp.
#include "container.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <random>
#include <thread>

#if defined(__x86_64__)
#include "ring/test_single_step.hpp"
#endif
#include "session_kinds.hpp"
#include "test_session.hpp"
#include "test_session_visit.hpp"

namespace {

using namespace maxlat;
using namespace maxlat::trace;
using maxlat::trace::test::ChannelShape;
using maxlat::trace::test::TestSession;
using testing::EndsWith;
using testing::HasSubstr;

constexpr std::uint32_t kNobodysKind = 1000;

std::string refusal(const TestSession& made) {
  const auto attached = Container::attach(made.fd(), session_kinds(), ContainerView::writable);
  return attached ? "taken" : attached.error().text;
}

maxlat_shm_entry nobodys_object(const TestSession& made, const char* name = "later") {
  maxlat_shm_entry fields{};
  fields.kind = kNobodysKind;
  fields.layout_version = 7;
  fields.id = 3;
  fields.offset = made.header().head_size - MAXLAT_SHM_OBJECT_ALIGNMENT;
  fields.size = MAXLAT_SHM_OBJECT_ALIGNMENT;
  std::strncpy(fields.name, name, sizeof fields.name);
  return fields;
}

const ObjectEntry* find(const Container& container, std::uint32_t kind) {
  for (const ObjectEntry& entry : container.objects()) {
    if (entry.kind == kind) return &entry;
  }
  return nullptr;
}

TEST(Container, SaysWhoMadeItAndWhatItHas) {
  const TestSession made({{.name = "a"}, {.name = "b"}});
  const auto container = Container::attach(made.fd(), session_kinds(), ContainerView::writable);
  ASSERT_TRUE(container) << container.error().text;
  EXPECT_EQ(container->name(), "test");
  EXPECT_EQ(container->process(), "program");
  EXPECT_EQ(container->pid(), getpid());
  EXPECT_EQ(container->header().clock.ticks_per_second, made.header().clock.ticks_per_second);
  ASSERT_EQ(container->objects().size(), 4u);
  const ObjectEntry& last = container->objects()[3];
  EXPECT_EQ(last.kind, std::uint32_t{MAXLAT_SHM_CHANNEL});
  EXPECT_EQ(last.name, "b");
  EXPECT_EQ(last.id, 1u);
  EXPECT_EQ(last.generation, 1u);
  EXPECT_NE(last.checked, nullptr);
}

TEST(ContainerVersions, AnotherMajorIsRefusedAsAnotherVersion) {
  for (const unsigned major : {MAXLAT_SHM_MAJOR - 1, MAXLAT_SHM_MAJOR + 1, 0u, 0xffffu}) {
    const TestSession made;
    made.header().major = static_cast<std::uint16_t>(major);
    EXPECT_EQ(refusal(made), "the shared memory, with layout " + std::to_string(major) +
                                 " where this one reads 4, is of another version of maxlat");
  }
}

TEST(ContainerVersions, AnotherMajorIsRefusedWhateverTheRestOfTheHeaderHolds) {
  const TestSession made;
  std::memset(made.bytes() + 6, 0xff, sizeof(maxlat_shm_header) - 6);
  made.header().major = MAXLAT_SHM_MAJOR + 1;
  EXPECT_THAT(refusal(made), EndsWith("is of another version of maxlat"));
}

TEST(ContainerVersions, ANewerMinorIsTaken) {
  const TestSession made;
  made.header().minor = 0xffff;
  made.header().other_features = 0xffffffff;
  EXPECT_EQ(refusal(made), "taken");
}

TEST(ContainerVersions, AFeatureThatIsNeededAndNotKnownIsAnotherVersions) {
  for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
    if ((bit & MAXLAT_SHM_KNOWN_FEATURES) != 0) continue;
    const TestSession made;
    made.header().needed_features = bit;
    EXPECT_THAT(refusal(made), EndsWith("is of another version of maxlat"));
  }
}

// As a newer minor may have it: header and entries with something behind what we know.
TEST(ContainerVersions, LongerHeadersAndEntriesAreRead) {
  TestSession made;
  constexpr std::uint32_t kMore = 64, kNewSize = sizeof(maxlat_shm_entry) + kMore;
  maxlat_shm_header& header = made.header();
  const std::uint32_t capacity = header.table_capacity;
  const std::uint8_t* table = made.bytes() + header.table_offset;
  const std::uint64_t new_table = header.head_size - capacity * kNewSize;
  for (std::uint32_t i = 0; i < capacity; ++i) {
    std::uint8_t* place = made.bytes() + new_table + i * kNewSize;
    std::memcpy(place, table + i * sizeof(maxlat_shm_entry), sizeof(maxlat_shm_entry));
    std::memset(place + sizeof(maxlat_shm_entry), 0xff, kMore);
  }
  std::memset(made.bytes() + header.table_offset, 0xff, kMore);
  header.header_size += kMore;
  header.entry_size = kNewSize;
  header.table_offset = static_cast<std::uint32_t>(new_table);
  const auto memory = SessionMemory::attach(made.fd());
  ASSERT_TRUE(memory) << memory.error().text;
  EXPECT_EQ(memory->channels().size(), 1u);
  EXPECT_EQ(memory->objects().size(), 3u);
}

TEST(ContainerVersions, AnUnknownKindIsListedAndTheOthersAreRead) {
  const TestSession made;
  publish_object(made.free_entry(), nobodys_object(made, ".its/name"));
  const auto memory = SessionMemory::attach(made.fd());
  ASSERT_TRUE(memory) << memory.error().text;
  EXPECT_EQ(memory->channels().size(), 1u);
  ASSERT_EQ(memory->objects().size(), 4u);
  const ObjectEntry& unknown = memory->objects().back();
  EXPECT_EQ(unknown.kind, kNobodysKind);
  EXPECT_EQ(unknown.layout_version, 7u);
  EXPECT_EQ(unknown.id, 3u);
  EXPECT_EQ(unknown.name, "_its_name") << "for lines of words and paths, whatever it is";
  EXPECT_EQ(unknown.checked, nullptr);
}

TEST(ContainerVersions, AKnownKindOfAnotherLayoutIsListedAndNotChecked) {
  const TestSession made;
  made.entry(MAXLAT_SHM_CHANNEL).layout_version += 1;
  made.channel(0).slots = 0;  // its check would refuse it
  const auto container = Container::attach(made.fd(), session_kinds(), ContainerView::writable);
  ASSERT_TRUE(container) << container.error().text;
  EXPECT_EQ(find(*container, MAXLAT_SHM_CHANNEL)->checked, nullptr);
}

// All that a kind needs on the reading side.
struct Level : CheckedObject {
  static constexpr std::uint32_t kKind = kNobodysKind;
  static constexpr const char* kKindName = "level";
  static constexpr std::uint32_t kLayoutVersion = 7;
  std::uint64_t height = 0;
  static base::Result<Level> check(const ObjectEntry& entry, const ContainerMemory& memory) {
    Level level;
    level.height = once(entry.in<const std::uint64_t>(memory));
    if (level.height > 100) return unfit_memory("level " + entry.name + ": its height");
    return level;
  }
};

TEST(Container, AKindIsItsCheckAndOneRow) {
  const TestSession made;
  const maxlat_shm_entry fields = nobodys_object(made);
  publish_object(made.free_entry(), fields);
  auto& height = *reinterpret_cast<std::uint64_t*>(made.bytes() + fields.offset);
  height = 42;
  constexpr ObjectKind kKinds[] = {kind_of<Level>()};
  const auto container = Container::attach(made.fd(), kKinds, ContainerView::writable);
  ASSERT_TRUE(container) << container.error().text;
  EXPECT_EQ(static_cast<const Level&>(*find(*container, kNobodysKind)->checked).height, 42u);
  height = 101;
  const auto refused = Container::attach(made.fd(), kKinds, ContainerView::writable);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, EndsWith("level later: its height"));
}

TEST(Container, RefusesATableOrAnObjectThatIsNotInTheHead) {
  const struct {
    const char* refused;
    void (*change)(const TestSession&);
  } cases[] = {
      {"place of the table", [](const TestSession& made) { made.header().table_capacity = 32; }},
      {"place of the table", [](const TestSession& made) { made.header().table_capacity = 0xffffffff; }},
      {"place of the table", [](const TestSession& made) { made.header().table_offset = 0xfffffff8; }},
      {"sizes of header and entries", [](const TestSession& made) { made.header().table_offset = 255; }},
      {"sizes of header and entries", [](const TestSession& made) { made.header().table_offset = 248; }},
      {"sizes of header and entries", [](const TestSession& made) { made.header().entry_size = 120; }},
      {"sizes of header and entries", [](const TestSession& made) { made.header().header_size = 248; }},
      {"size of the head", [](const TestSession& made) { made.header().head_size = 0; }},
      {"size of the head", [](const TestSession& made) { made.header().head_size += 8; }},
      {"size of the head", [](const TestSession& made) { made.header().head_size = made.header().total_size + 4096; }},
      {"larger than its file", [](const TestSession& made) { made.header().total_size += 1; }},
      {"process number", [](const TestSession& made) { made.header().pid = 0; }},
      {"process number", [](const TestSession& made) { made.header().needed_features = MAXLAT_SHM_COMMON; }},
      {"of several processes",
       [](const TestSession& made) {
         made.header().needed_features = MAXLAT_SHM_COMMON;
         made.header().pid = 0;
       }},
      {"the memory has no name", [](const TestSession& made) { made.header().name[0] = 0; }},
      {"other characters than", [](const TestSession& made) { made.header().name[0] = '/'; }},
      {"place of the object", [](const TestSession& made) { made.entry(MAXLAT_SHM_CHANNEL).offset = 128; }},
      {"place of the object", [](const TestSession& made) { made.entry(MAXLAT_SHM_CHANNEL).offset += 8; }},
      {"place of the object", [](const TestSession& made) { made.entry(MAXLAT_SHM_CHANNEL).size = 4096; }},
      {"place of the object", [](const TestSession& made) { made.entry(MAXLAT_SHM_CHANNEL).size = ~0ull; }},
      {"a channel has no name",
       [](const TestSession& made) { std::memset(made.entry(MAXLAT_SHM_CHANNEL).name, 'x', MAXLAT_SHM_NAME); }},
      {"other characters than", [](const TestSession& made) { made.entry(MAXLAT_SHM_CHANNEL).name[0] = '/'; }},
      {"channel channel0: its size", [](const TestSession& made) { made.entry(MAXLAT_SHM_CHANNEL).size = 127; }},
  };
  for (const auto& [refused, change] : cases) {
    const TestSession made;
    change(made);
    EXPECT_THAT(refusal(made), HasSubstr(refused));
  }
}

// A session's memory is not sealed against writing, for its consumer writes there. A monitor looks at a memory that
// others can write to only where it says itself that this is so.
TEST(Container, AMonitorsMemoryIsSealedAgainstWritingOrCommon) {
  const TestSession made;
  ASSERT_EQ(posix_fallocate(made.fd(), 0, static_cast<off_t>(made.header().total_size)), 0);
  const auto attached = [&] { return Container::attach(made.fd(), session_kinds(), ContainerView::read_only); };
  ASSERT_FALSE(attached());
  EXPECT_THAT(attached().error().text, HasSubstr("not sealed against writing"));
  made.header().needed_features = MAXLAT_SHM_COMMON;
  made.header().pid = 0;
  EXPECT_TRUE(attached()) << attached().error().text;
}

// More entries than a reader looks at, and there is room for them.
TEST(Container, RefusesATableThatIsTooLong) {
  const TestSession made(std::vector{ChannelShape{.slots = 64}});
  made.header().head_size = made.header().total_size;
  ASSERT_GT(made.header().head_size, (MAXLAT_SHM_MAX_OBJECTS + 8) * sizeof(maxlat_shm_entry));
  made.header().table_capacity = MAXLAT_SHM_MAX_OBJECTS + 1;
  EXPECT_THAT(refusal(made), HasSubstr("place of the table"));
}

TEST(ContainerEntries, OneThatIsBeingWrittenIsNotThereYet) {
  const TestSession made;
  maxlat_shm_entry& entry = made.free_entry();
  publish_object(entry, nobodys_object(made));
  entry.word = entry.word - MAXLAT_SHM_ENTRY_LIVE + MAXLAT_SHM_ENTRY_CHANGING;
  auto container = Container::attach(made.fd(), session_kinds(), ContainerView::writable);
  ASSERT_TRUE(container) << container.error().text;
  EXPECT_EQ(find(*container, kNobodysKind), nullptr);
  publish_object(entry, nobodys_object(made));
  container = Container::attach(made.fd(), session_kinds(), ContainerView::writable);
  ASSERT_NE(find(*container, kNobodysKind), nullptr);
  EXPECT_EQ(find(*container, kNobodysKind)->generation, 2u) << "another object, and so another generation";
}

// Two objects that differ in every byte, but for where they are.
struct TwoObjects {
  explicit TwoObjects(const TestSession& made) : fields{nobodys_object(made), nobodys_object(made)} {
    for (std::uint32_t i = 0; i < 2; ++i) {
      fields[i].layout_version = fields[i].id = fields[i].group = i == 0 ? 0 : ~0u;
      std::memset(fields[i].name, i == 0 ? 'a' : 'b', MAXLAT_SHM_NAME - 1);
    }
  }
  // RETURNS: which of them the copy is; -1: neither.
  int which(const maxlat_shm_entry& copy) const {
    for (int i = 0; i < 2; ++i) {
      maxlat_shm_entry expected = fields[i];
      expected.word = copy.word;
      if (std::memcmp(&expected, &copy, sizeof copy) == 0) return i;
    }
    return -1;
  }
  maxlat_shm_entry fields[2];
};

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)  // which delivers signals when it likes
const TwoObjects* objects_now;
maxlat_shm_entry* entry_now;
std::optional<maxlat_shm_entry> seen_now;

TEST(ContainerEntries, AReaderThatTheProducerOvertakesAtAnyInstructionHasOneObjectOrNone) {
  const TestSession made;
  const TwoObjects objects(made);
  const ring_test::SingleStep steps;
  objects_now = &objects;
  entry_now = &made.free_entry();
  int whole = 0, none = 0;
  for (std::uint64_t at = 1;; at += ring_test::kApart) {
    publish_object(*entry_now, objects.fields[0]);
    std::optional<maxlat_shm_entry> copy;
    const auto overtake = [] { publish_object(*entry_now, objects_now->fields[1]); };
    if (!ring_test::SingleStep::interrupt(at, overtake, [&] { copy = copy_of_entry(*entry_now); })) break;
    ASSERT_TRUE(!copy || objects.which(*copy) >= 0) << "after instruction " << at;
    (copy ? whole : none) += 1;
  }
  EXPECT_GT(whole, 0);
  EXPECT_GT(none, 0);
}

TEST(ContainerEntries, AProducerThatIsInterruptedAtAnyInstructionShowsOneObjectOrNone) {
  const TestSession made;
  const TwoObjects objects(made);
  const ring_test::SingleStep steps;
  entry_now = &made.free_entry();
  int seen[3] = {};
  for (std::uint64_t at = 1;; ++at) {
    publish_object(*entry_now, objects.fields[0]);
    const auto look = [] { seen_now = copy_of_entry(*entry_now); };
    if (!ring_test::SingleStep::interrupt(at, look, [&] { publish_object(*entry_now, objects.fields[1]); })) break;
    ASSERT_TRUE(!seen_now || objects.which(*seen_now) >= 0) << "after instruction " << at;
    ++seen[seen_now ? objects.which(*seen_now) : 2];
  }
  EXPECT_THAT(seen, testing::Each(testing::Gt(0))) << "the old one, then none, then the new one";
}
#endif

// The same with a producer on another processor.
TEST(ContainerEntries, AnEntryThatChangesIsSeenWholeOrNotAtAll) {
  const TestSession made;
  maxlat_shm_entry& entry = made.free_entry();
  const TwoObjects objects(made);
  publish_object(entry, objects.fields[0]);
  std::atomic<bool> end{false};
  std::thread producer([&] {
    for (std::uint32_t i = 1; !end; i ^= 1) publish_object(entry, objects.fields[i]);
  });
  int seen[2] = {};
  for (int look = 0; look < 100'000'000 && (look < 100'000 || seen[0] < 10 || seen[1] < 10); ++look) {
    const auto copy = copy_of_entry(entry);
    if (!copy) continue;
    const int which = objects.which(*copy);
    EXPECT_GE(which, 0);
    if (which < 0) break;
    ++seen[which];
  }
  end = true;
  producer.join();
  EXPECT_GE(seen[0], 10);
  EXPECT_GE(seen[1], 10);
}

// Its memory is checked while it changes: nothing may be looked at twice. This finds what is, by a signal.
TEST(Container, AProducerThatScribblesWhileItIsReadDoesNoHarm) {
  TestSession made(
      {{.name = "a", .sub_buffer_bits = 8, .ring_bits = 1, .slots = 2},
       {.name = "b", .features = MAXLAT_RING_OVERWRITE, .sub_buffer_bits = 8, .ring_bits = 1, .slots = 2}});
  for (const std::size_t channel : {0u, 1u}) made.claim(channel, 0, 5);
  const maxlat_shm_entry& last = made.entry(MAXLAT_SHM_CHANNEL, 1);
  const std::uint64_t words = (last.offset + last.size) / sizeof(std::uint64_t);
  const std::vector<std::uint8_t> good(made.bytes(), made.bytes() + words * sizeof(std::uint64_t));
  std::atomic<bool> end{false};
  std::thread scribbler([&] {
    std::mt19937_64 random(1);
    auto* shared = reinterpret_cast<std::uint64_t*>(made.bytes());
    while (!end) {
      const std::uint64_t place = random() % words;
      std::uint64_t before;
      std::memcpy(&before, good.data() + place * sizeof before, sizeof before);
      // It stays so for a while now and then: where both threads have one processor, too.
      __atomic_store_n(&shared[place], random() >> random() % 64, __ATOMIC_RELAXED);
      if (random() % 4 == 0) sched_yield();
      __atomic_store_n(&shared[place], before, __ATOMIC_RELAXED);
      if (random() % 4 == 0) sched_yield();
    }
  });
  int taken = 0, refused = 0;
  for (int look = 0; look < 200'000 && (look < 300 || taken < 10 || refused < 10); ++look) {
    (test::visit_session(made.fd()) >= 0 ? taken : refused) += 1;
  }
  end = true;
  scribbler.join();
  EXPECT_GE(taken, 10);
  EXPECT_GE(refused, 10);
}

}  // namespace
