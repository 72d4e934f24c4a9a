// SPDX-License-Identifier: MIT
// A session's memory as its consumer sees it: what is taken, what is refused, and what a hostile producer can do to us.
#include "session_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "test_session.hpp"
#include "test_session_visit.hpp"

namespace {

using namespace maxlat;
using namespace maxlat::trace;
using maxlat::trace::test::ChannelShape;
using maxlat::trace::test::TestSession;
using maxlat::trace::test::visit_session;

std::string refusal(int fd) {
  const auto attached = SessionMemory::attach(fd);
  return attached ? "taken" : attached.error().text;
}

TEST(SessionMemory, TakesWhatTheLayoutSays) {
  TestSession made({{.name = "a"}, {.name = "b", .features = MAXLAT_RING_OVERWRITE, .slots = 2}});
  made.append_metadata("/* CTF 1.8 */");
  maxlat_ring& ring = made.claim(1, 1, 77);
  ASSERT_TRUE(maxlat_ring_event(MAXLAT_RING_THREAD, &ring, 1, 2, 3, 4));
  auto memory = SessionMemory::attach(made.fd());
  ASSERT_TRUE(memory) << memory.error().text;
  EXPECT_EQ(memory->session(), "test");
  EXPECT_EQ(memory->process(), "program");
  EXPECT_EQ(memory->pid(), getpid());
  EXPECT_EQ(memory->objects().size(), 4u);
  ASSERT_EQ(memory->channels().size(), 2u);
  EXPECT_TRUE(memory->channels()[1].overwrites());
  EXPECT_EQ(*memory->metadata(0, memory->metadata_length()), "/* CTF 1.8 */");
  EXPECT_EQ(memory->slot(1, 1).state(), MAXLAT_SHM_LIVE);
  EXPECT_EQ(memory->owner(1, 1), 77u);
  auto mapped = memory->map_ring(1, 1);
  ASSERT_TRUE(mapped) << mapped.error().text;
  EXPECT_EQ(*mapped->ring.write_count, *ring.write_count);
  EXPECT_THAT(memory->map_ring(1, 0).error().text, testing::HasSubstr("slot 0 of channel b is no ring"));
}

TEST(SessionMemory, ASecondConsumerIsRefusedWithOneLineUntilTheFirstIsGone) {
  TestSession made;
  auto second = SessionMemory::attach(made.fd());
  {
    auto first = SessionMemory::attach(made.fd());
    ASSERT_TRUE(first->lock());
    const auto refused = second->lock();
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().text, testing::HasSubstr("already has a consumer"));
  }
  EXPECT_TRUE(second->lock());
}

// A child that lives on, as one that a traced program forked and that execs nothing, is no consumer.
class ForkedChild {
 public:
  ForkedChild() : number_(fork()) {
    if (number_ == 0) {
      for (;;) pause();
    }
  }
  ~ForkedChild() {
    kill(number_, SIGKILL);
    waitpid(number_, nullptr, 0);
  }
  ForkedChild(const ForkedChild&) = delete;
  ForkedChild& operator=(const ForkedChild&) = delete;
  pid_t number() const { return number_; }

 private:
  pid_t number_;
};

TEST(SessionMemory, AForkedChildDoesNotKeepTheConsumersPlace) {
  TestSession made;
  auto second = SessionMemory::attach(made.fd());
  auto first = std::make_unique<SessionMemory>(*SessionMemory::attach(made.fd()));
  ASSERT_TRUE(first->lock());
  const ForkedChild child;
  ASSERT_GT(child.number(), 0);
  EXPECT_FALSE(second->lock()) << "nor does it give it away";
  first.reset();
  EXPECT_TRUE(second->lock());
}

// The consumer does not come to give its place back: it is killed, and its child is not.
TEST(SessionMemory, AForkedChildOfAConsumerThatWasKilledDoesNotKeepItsPlace) {
  TestSession made;
  int says_who[2];
  ASSERT_EQ(pipe(says_who), 0);
  const pid_t consumer = fork();
  ASSERT_GE(consumer, 0);
  if (consumer == 0) {
    auto memory = SessionMemory::attach(made.fd());
    if (!memory || !memory->lock()) _exit(1);
    const pid_t child = fork();
    const pid_t self = getpid();
    if (child == 0 && write(says_who[1], &self, sizeof self) != sizeof self) _exit(1);
    for (;;) pause();
  }
  pid_t child = 0;
  ASSERT_EQ(read(says_who[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  kill(consumer, SIGKILL);
  ASSERT_EQ(waitpid(consumer, nullptr, 0), consumer);
  auto second = SessionMemory::attach(made.fd());
  const base::Status locked = second->lock();
  EXPECT_TRUE(locked) << locked.error().text;
  kill(child, SIGKILL);
  close(says_who[0]);
  close(says_who[1]);
}

TEST(SessionMemory, AMemoryThatCouldBeCutShortUnderUsIsRefused) {
  TestSession made(std::vector{ChannelShape{}}, false);
  EXPECT_THAT(refusal(made.fd()), testing::HasSubstr("not sealed"));
}

TEST(SessionMemory, AFreedSlotHasNoMemoryAndTheNextGeneration) {
  TestSession made;
  maxlat_ring& ring = made.claim(0, 2, 1);
  ASSERT_TRUE(maxlat_ring_event(MAXLAT_RING_THREAD, &ring, 1, 2, 3, 4));
  made.end(0, 2, ring);
  auto memory = SessionMemory::attach(made.fd());
  const SlotWord ended = memory->slot(0, 2);
  ASSERT_EQ(ended.state(), MAXLAT_SHM_ENDED);
  ASSERT_TRUE(memory->exchange(0, 2, ended, ended.word + 1));
  ASSERT_TRUE(memory->free_slot(0, 2));
  EXPECT_EQ(memory->slot(0, 2).state(), MAXLAT_SHM_FREE);
  EXPECT_EQ(memory->slot(0, 2).generation(), ended.generation() + 1);
  EXPECT_EQ(ring.header->magic, 0u);
}

TEST(SessionMemory, ASlotThatIsReadSurvivesTheEndOfItsThreadAndIsMarkedUntilWeLeave) {
  TestSession made(std::vector{ChannelShape{.features = MAXLAT_RING_OVERWRITE}});
  maxlat_ring& ring = made.claim(0, 0, 1);
  auto memory = SessionMemory::attach(made.fd());
  const SlotWord live = memory->slot(0, 0);
  ASSERT_TRUE(memory->exchange(0, 0, live, live.word | MAXLAT_SHM_READING));
  made.end(0, 0, ring);
  EXPECT_EQ(memory->slot(0, 0).state(), MAXLAT_SHM_ENDED);
  EXPECT_TRUE(memory->slot(0, 0).reading());
  memory->end_reading(0, 0);
  EXPECT_EQ(memory->slot(0, 0).word, MAXLAT_SHM_ENDED);
}

TEST(SessionMemory, TheNameOfALaterRingIsNotThatOfTheOneThatWasAskedFor) {
  const TestSession made;
  const auto memory = SessionMemory::attach(made.fd());
  ASSERT_TRUE(memory) << memory.error().text;
  std::strcpy(made.slot(0, 1).name, "later");
  made.slot(0, 1).word = 3u << MAXLAT_SHM_GENERATION_SHIFT | MAXLAT_SHM_LIVE;
  const SlotWord now = memory->slot(0, 1);
  EXPECT_EQ(memory->thread_name(0, 1, now), "later");
  EXPECT_EQ(memory->thread_name(0, 1, SlotWord{2u << MAXLAT_SHM_GENERATION_SHIFT | MAXLAT_SHM_LIVE}), "");
}

TEST(SessionMemory, AllZeroAndAllOnesAreRefused) {
  for (const int fill : {0x00, 0xff}) {
    TestSession made;
    std::memset(made.bytes(), fill, MAXLAT_SHM_PAGE);
    EXPECT_THAT(refusal(made.fd()), testing::HasSubstr("no magic number"));
  }
}

// What a consumer cannot do without, or could not tell apart.
TEST(SessionMemory, ObjectsThatAreMissingOrTwiceThereAreRefused) {
  const struct {
    const char* refused;
    void (*change)(TestSession&);
  } cases[] = {
      {"0 objects of the kind session", [](TestSession& made) { made.entry(MAXLAT_SHM_SESSION).word = 0; }},
      {"2 objects of the kind metadata",
       [](TestSession& made) { publish_object(made.free_entry(), made.entry(MAXLAT_SHM_METADATA)); }},
      {"no channel", [](TestSession& made) { made.entry(MAXLAT_SHM_CHANNEL).word = 0; }},
      {"channel channel0: its number", [](TestSession& made) { made.entry(MAXLAT_SHM_CHANNEL).id = 1; }},
      {"two channels of one name",
       [](TestSession& made) {
         maxlat_shm_entry second = made.entry(MAXLAT_SHM_CHANNEL);
         second.id = 1;
         publish_object(made.free_entry(), second);
       }},
      {"channel channel0: its size", [](TestSession& made) { made.channel(0).slots = 5; }},
      {"place of the metadata", [](TestSession& made) { made.metadata().text_offset = 0; }},
  };
  for (const auto& [refused, change] : cases) {
    TestSession made;
    change(made);
    EXPECT_THAT(refusal(made.fd()), testing::HasSubstr(refused));
  }
}

TEST(SessionMemory, AKindThatItNeedsInALayoutThatItDoesNotKnowIsAnotherVersions) {
  for (const std::uint32_t kind : {MAXLAT_SHM_SESSION, MAXLAT_SHM_METADATA, MAXLAT_SHM_CHANNEL}) {
    TestSession made;
    made.entry(kind).layout_version += 1;
    EXPECT_THAT(refusal(made.fd()), testing::EndsWith("is of another version of maxlat"));
  }
}

// Every 16-, 32- and 64-bit word of header, table, objects and ring header through every interesting value. Under
// AddressSanitizer this finds what is read out of bounds; everywhere it must end, and not by a signal.
TEST(SessionMemory, EveryFieldThroughEveryInterestingValue) {
  TestSession made(
      {{.name = "a", .sub_buffer_bits = 8, .ring_bits = 1, .slots = 2},
       {.name = "b", .features = MAXLAT_RING_OVERWRITE, .sub_buffer_bits = 8, .ring_bits = 1, .slots = 2}});
  for (std::size_t channel : {0u, 1u}) {
    maxlat_ring& ring = made.claim(channel, 0, 5);
    for (int i = 0; i < 9; ++i) maxlat_ring_event(MAXLAT_RING_THREAD, &ring, 1, 2, 3, 4);
  }
  ASSERT_TRUE(made.ok());
  const std::uint64_t total = made.header().total_size, head = made.header().head_size;
  const std::vector<std::uint8_t> good(made.bytes(), made.bytes() + total);
  ASSERT_GT(visit_session(made.fd()), 0);
  const std::uint64_t values[] = {
      0,         1,     2,         3,       7,         8,        255,         4095,       4096,       4097,
      0x7fff,    head,  head - 64, total,   total - 1, 1u << 31, 0xffffffffu, 1ull << 32, 1ull << 62, ~0ull - 4095,
      ~0ull - 7, ~0ull, 0xffff,    0x10000, total + 1};
  std::vector<std::uint64_t> places;
  // Header, table and objects.
  const std::uint64_t head_end = made.entry(MAXLAT_SHM_CHANNEL, 1).offset + made.entry(MAXLAT_SHM_CHANNEL, 1).size;
  for (std::uint64_t at = 0; at < 16; at += 2) places.push_back(at);  // the only words of 16 bits
  for (std::uint64_t at = 16; at < head_end; at += 4) places.push_back(at);
  for (const std::size_t channel : {0u, 1u}) {
    for (std::uint64_t at = 0; at < 512; at += 4) places.push_back(made.channel(channel).rings_offset + at);
  }
  int taken = 0;
  for (const std::uint64_t place : places) {
    for (const std::uint64_t value : values) {
      for (const std::size_t width : {2u, 4u, 8u}) {
        if (place % width != 0) continue;
        std::memcpy(made.bytes(), good.data(), total);
        std::memcpy(made.bytes() + place, &value, width);
        taken += visit_session(made.fd()) >= 0;
      }
    }
  }
  EXPECT_GT(taken, 0);
}

}  // namespace
