// SPDX-License-Identifier: MIT
// What the recorder finds out about names of threads: of threads that live, rename themselves, and are gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <maxlat/base/counter.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <maxlat/trace/recorder.hpp>
#include <maxlat/trace/thread_names.hpp>

#include "shm/test_session.hpp"
#include "test_trace.hpp"

namespace {

using namespace maxlat::trace;
using namespace maxlat::trace::test;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::chrono::nanoseconds kNow = 1000s;
constexpr std::uint32_t kNoThread = 0x7ffffff0;  // no kernel has such a number

// The calling thread is called something else, for a while.
class Called {
 public:
  explicit Called(const char* name) {
    prctl(PR_GET_NAME, before_);
    rename(name);
  }
  ~Called() { prctl(PR_SET_NAME, before_); }
  Called(const Called&) = delete;
  Called& operator=(const Called&) = delete;
  static void rename(const char* name) { prctl(PR_SET_NAME, name); }

 private:
  char before_[16] = {};
};

std::uint32_t me() {
  return static_cast<std::uint32_t>(gettid());
}

class RingNamesTest : public testing::Test {
 protected:
  static void event(maxlat_ring& ring) { maxlat_ring_event(MAXLAT_RING_THREAD, &ring, 7, 0, 0, 0); }
  static maxlat_ring& claim(TestSession& session, std::uint32_t slot, std::uint32_t owner, const char* name) {
    maxlat_shm_slot& shared = session.slot(0, slot);
    std::memset(shared.name, 0, sizeof shared.name);
    std::memcpy(shared.name, name, strnlen(name, sizeof shared.name));
    return session.claim(0, slot, owner);
  }
  RecorderOptions options() const {
    RecorderOptions options;
    options.directory = folder_.path();
    return options;
  }
  static Recorder attach(const TestSession& session, const RecorderOptions& options) {
    auto recorder = Recorder::attach(session.fd(), options);
    EXPECT_TRUE(recorder) << recorder.error().text;
    return std::move(*recorder);
  }
  ThreadNames names(const std::string& folder = "") const {
    return parse_thread_names(text_of(folder_.path() + folder + "/program-" + std::to_string(getpid()) + "/.threads"));
  }
  static std::vector<std::string> texts(const std::vector<ThreadName>& names) {
    std::vector<std::string> texts;
    for (const ThreadName& name : names) texts.push_back(name.text);
    return texts;
  }

  TemporaryFolder folder_;
};

TEST_F(RingNamesTest, ARenamedThreadHasBothNamesAndTheSecondFromWhereItWasLastSeenWithTheFirst) {
  Called called("first");
  TestSession session;
  maxlat_ring& ring = claim(session, 0, me(), "first");
  Recorder recorder = attach(session, options());
  event(ring);
  recorder.round(kNow);
  const std::uint64_t seen = maxlat_counter_ordered();
  event(ring);
  Called::rename("second");
  event(ring);
  recorder.round(kNow + 99ms);
  EXPECT_THAT(texts(names()["channel0-0-0"]), ElementsAre("first")) << "not looked at again before it is time";
  recorder.round(kNow + 100ms);
  const std::vector<ThreadName> found = names()["channel0-0-0"];
  ASSERT_THAT(texts(found), ElementsAre("first", "second"));
  EXPECT_EQ(found[0].from_ticks, 0u);
  EXPECT_GT(found[1].from_ticks, 0u);
  EXPECT_LE(found[1].from_ticks, seen);
}

// Also when it never traced again, and was never looked at in between.
TEST_F(RingNamesTest, TheEndOfARecordingLooksOnceMore) {
  Called called("first");
  TestSession session;
  event(claim(session, 0, me(), "first"));
  Recorder recorder = attach(session, options());
  recorder.round(kNow);
  Called::rename("later");
  recorder.finish(RecordingEnd::stopped);
  EXPECT_THAT(texts(names()["channel0-0-0"]), ElementsAre("first", "later"));
}

TEST_F(RingNamesTest, AThreadThatIsGoneHasTheNameOfItsBeginningAndThatOfItsEnd) {
  TestSession session;
  maxlat_ring& ring = claim(session, 0, kNoThread, "a b\"\\\n\xff");
  event(ring);
  std::memcpy(ring.header->name_at_end, "sixteen letters!", 16);  // more than the kernel gives
  session.end(0, 0, ring);
  maxlat_ring& other = claim(session, 1, kNoThread, "fifteen letters");
  event(other);
  Recorder recorder = attach(session, options());
  recorder.finish(RecordingEnd::producer_gone);
  EXPECT_THAT(texts(names()["channel0-0-0"]), ElementsAre("a b\"\\\n\xff", "sixteen letters!"));
  EXPECT_THAT(texts(names()["channel0-1-0"]), ElementsAre("fifteen letters")) << "died with its ring";
}

TEST_F(RingNamesTest, ASlotsNextRingHasItsOwnName) {
  TestSession session;
  Recorder recorder = attach(session, options());
  for (const std::string name : {"one", "quiet", "two"}) {
    maxlat_ring& ring = claim(session, 0, kNoThread, name.c_str());
    if (name != "quiet") event(ring);  // no event, no file: its name is never told
    recorder.round(kNow);
    session.end(0, 0, ring);
    recorder.round(kNow);
  }
  EXPECT_THAT(texts(names()["channel0-0-0"]), ElementsAre("one"));
  EXPECT_THAT(texts(names()["channel0-0-2"]), ElementsAre("two"));
}

// Rings of a flight recorder are not looked at until a snapshot; names of their threads are.
TEST_F(RingNamesTest, EverySnapshotHasTheNamesOfItsThreadsAndWhenTheyWereRenamed) {
  Called called("first");
  TestSession session(std::vector{ChannelShape{.features = MAXLAT_RING_OVERWRITE}});
  maxlat_ring& ring = claim(session, 0, me(), "first");
  RecorderOptions flight = options();
  flight.flight_recorder = true;
  Recorder recorder = attach(session, flight);
  recorder.round(kNow);
  const std::uint64_t seen = maxlat_counter_ordered();
  recorder.round(kNow + 100ms);
  Called::rename("second");
  recorder.round(kNow + 200ms);
  for (int snapshot = 1; snapshot < 3; ++snapshot) {
    event(ring);
    recorder.snapshot(kNow + snapshot * 1h);
    const std::vector<ThreadName> found = names("/" + std::to_string(snapshot))["channel0-0-0"];
    ASSERT_THAT(texts(found), ElementsAre("first", "second")) << snapshot;
    EXPECT_GT(found[1].from_ticks, seen) << snapshot;
  }
}

TEST_F(RingNamesTest, AThreadThatNeverStopsToRenameItselfKeepsTheFirstAndTheLatest) {
  Called called("0");
  TestSession session(std::vector{ChannelShape{.features = MAXLAT_RING_OVERWRITE}});
  maxlat_ring& ring = claim(session, 0, me(), "0");
  RecorderOptions flight = options();
  flight.flight_recorder = true;
  Recorder recorder = attach(session, flight);
  for (int i = 1; i < 1000; ++i) {
    Called::rename(std::to_string(i).c_str());
    recorder.round(kNow + i * 100ms);
  }
  event(ring);
  recorder.finish(RecordingEnd::stopped);
  const auto found = texts(names("/1")["channel0-0-0"]);
  EXPECT_LT(found.size(), 100u);
  EXPECT_EQ(found.front(), "0");
  EXPECT_EQ(found.back(), "999");
}

TEST_F(RingNamesTest, EveryNameThatWasSeenIsToldHoweverManyThereWere) {
  Called called("0");
  TestSession session;
  event(claim(session, 0, me(), "0"));
  Recorder recorder = attach(session, options());
  std::vector<std::string> all = {"0"};
  for (int i = 1; i < 100; ++i) {
    all.push_back(std::to_string(i));
    Called::rename(all.back().c_str());
    recorder.round(kNow + i * 100ms);
  }
  EXPECT_EQ(texts(names()["channel0-0-0"]), all);
}

// A process of that number in another PID namespace, or whatever else is not the session's.
TEST_F(RingNamesTest, AnotherProcessIsNotAskedForNames) {
  TestSession session;
  session.header().pid = 1;
  event(claim(session, 0, 1, "mine"));
  Recorder recorder = attach(session, options());
  recorder.round(kNow);
  recorder.finish(RecordingEnd::stopped);
  const std::string text = text_of(folder_.path() + "/program-1/.threads");
  EXPECT_EQ(text, "ring channel0-0-0 tid 1 from 0 name \"mine\"\n");
}

TEST_F(RingNamesTest, RingsWithoutEventsAndRingsOfCpusHaveNone) {
  TestSession session(
      std::vector{ChannelShape{}, ChannelShape{.name = "cpus", .features = MAXLAT_RING_SHARED_WRITERS}});
  session.channel(1).ownership = MAXLAT_SHM_PER_CPU;
  claim(session, 0, me(), "quiet");
  maxlat_ring& cpu = session.claim(1, 0, 0);
  maxlat_ring_event(MAXLAT_RING_THREAD, &cpu, 7, 0, 0, 0);
  Recorder recorder = attach(session, options());
  recorder.round(kNow);
  recorder.finish(RecordingEnd::stopped);
  EXPECT_THAT(names(), IsEmpty());
}

// However many threads there are, a round looks at some of them only; and at each in its turn.
TEST_F(RingNamesTest, ManyThreadsAreLookedAtInTurn) {
  Called called("before");
  constexpr std::uint32_t kThreads = 100;
  TestSession session(std::vector{ChannelShape{.slots = kThreads}});
  for (std::uint32_t slot = 0; slot < kThreads; ++slot) event(claim(session, slot, me(), "before"));
  Recorder recorder = attach(session, options());
  recorder.round(kNow);
  recorder.round(kNow + 100ms);
  Called::rename("after");
  const auto renamed = [&] {
    std::size_t count = 0;
    for (const auto& [ring, names] : names()) count += names.back().text == "after";
    return count;
  };
  recorder.round(kNow + 200ms);
  EXPECT_EQ(renamed(), 64u);
  recorder.round(kNow + 300ms);
  EXPECT_EQ(renamed(), kThreads);
}

}  // namespace
