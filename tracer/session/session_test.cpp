// SPDX-License-Identifier: MIT
// What a session promises, one thread at a time: several sessions and channels, rules, errors in one line, memory that
// is not there, books. What many threads do to it: session_threads_test.cpp.
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <maxlat/base/process_start.hpp>
#include <maxlat/trace/probe.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "session/control_commands.hpp"
#include "session/pattern.hpp"
#include "session/test_recording.hpp"
#include "shm/reserve_memory.hpp"
#include "shm/session_file.hpp"

MAXLAT_TRACE_EVENT(first, one, (std::uint64_t, n))
MAXLAT_TRACE_EVENT_LEVEL(first, two, debug, (std::uint64_t, n))
MAXLAT_TRACE_EVENT_LEVEL(second, one, error, (std::uint64_t, n))
MAXLAT_TRACE_EVENT(second, huge, (maxlat::trace::Sequence<std::uint64_t, 13000>, bytes))

namespace {

using namespace maxlat;
using namespace maxlat::trace;
using namespace maxlat::trace::test;

void trace_all(std::uint64_t n) {
  MAXLAT_TRACE(first, one, n);
  MAXLAT_TRACE(first, two, n);
  MAXLAT_TRACE(second, one, n);
}

std::string names(const std::vector<Recorded>& all, std::uint32_t channel) {
  std::string text;
  for (const Recorded& record : all) {
    if (record.channel != channel) continue;
    if (record.id == MaxlatTraceEvent_first_one::event.id) text += "1";
    if (record.id == MaxlatTraceEvent_first_two::event.id) text += "2";
    if (record.id == MaxlatTraceEvent_second_one::event.id) text += "3";
  }
  return text;
}

TEST(Pattern, StarAndQuestionMark) {
  using detail::matches;
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a:b", "a:b"));
  EXPECT_FALSE(matches("a:b", "a:bc"));
  EXPECT_TRUE(matches("a:*", "a:"));
  EXPECT_TRUE(matches("*b*c", "abbbcbc"));
  EXPECT_FALSE(matches("*b*c", "abbbcb"));
  EXPECT_TRUE(matches("?:?", "a:b"));
  EXPECT_FALSE(matches("?", ""));
  EXPECT_FALSE(matches("", "a"));
}

TEST(Session, ChannelsGetWhatTheirRulesSay) {
  Recording recording({{.name = "a"}, {.name = "b"}, {.name = "c", .ownership = Ownership::per_cpu}});
  Session& session = recording.session;
  Recording::expect_ok(session.enable("a", "first:*"));
  Recording::expect_ok(session.enable("b", "*", Level::info));
  Recording::expect_ok(session.disable("b", "second:*"));
  Recording::expect_ok(session.enable("c", "second:?ne"));
  Recording::expect_ok(session.start());
  trace_all(1);
  Recording::expect_ok(session.disable("a", "*:two"));
  trace_all(2);
  Recording::expect_ok(session.enable("b", "second:one"));
  trace_all(3);
  const std::vector<Recorded> all = recording.finish();
  trace_all(4);
  EXPECT_EQ(names(all, 0), "1211");
  EXPECT_EQ(names(all, 1), "1113");
  EXPECT_EQ(names(all, 2), "333");
  EXPECT_EQ(recording.books(0).produced(), 4u);
}

TEST(Session, SeveralAtOnce) {
  Recording one({Recording::small()}, "one"),
      two({Recording::small(), {.name = "wake", .delivery = Delivery::wakeup}}, "two");
  one.start("first:*");
  two.start("*:one");
  Recording::expect_ok(two.session.enable("wake", "second:*"));
  trace_all(1);
  EXPECT_EQ(names(one.finish(), 0), "12");
  trace_all(2);
  const std::vector<Recorded> all = two.finish();
  EXPECT_EQ(names(all, 0), "1313");
  EXPECT_EQ(names(all, 1), "33");
}

TEST(Session, StopsAndStartsAgainInTheSameRings) {
  Recording recording;
  recording.start("first:one");
  MAXLAT_TRACE(first, one, 1);
  Recording::expect_ok(recording.session.stop());
  MAXLAT_TRACE(first, one, 2);
  Recording::expect_ok(recording.session.start());
  MAXLAT_TRACE(first, one, 3);
  const std::vector<Recorded> all = recording.finish();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].at<std::uint64_t>(0), 1u);
  EXPECT_EQ(all[1].at<std::uint64_t>(0), 3u);
  EXPECT_EQ(all[0].slot, all[1].slot);
}

TEST(Session, DescribesAnEventBeforeItsFirstRecordAndOnce) {
  Recording recording;
  recording.start("first:one");
  const Memory memory(recording.session);
  const std::size_t before = memory.metadata().size();
  Recording::expect_ok(recording.session.enable("all", "second:one"));
  EXPECT_NE(memory.metadata().find("second:one", before), std::string::npos);
  const std::size_t after = memory.metadata().size();
  Recording::expect_ok(recording.session.disable("all", "second:one"));
  Recording::expect_ok(recording.session.enable("all", "second:one"));
  EXPECT_EQ(memory.metadata().size(), after);
}

TEST(Session, FullBuffersDropAndCount) {
  for (const FullBuffer mode : {FullBuffer::discard, FullBuffer::overwrite}) {
    Recording recording({{.name = "all", .when_full = mode, .sub_buffer_size = 4096, .sub_buffers = 2}});
    recording.start("first:one");
    for (std::uint64_t n = 0; n < 10'000; ++n) MAXLAT_TRACE(first, one, n);
    const std::vector<Recorded> all = recording.finish();
    EXPECT_EQ(recording.books().produced(), 10'000u);
    ASSERT_FALSE(all.empty());
    if (mode == FullBuffer::discard) {
      EXPECT_EQ(recording.books().recorded, all.size());
      EXPECT_EQ(all.back().at<std::uint64_t>(0), all.size() - 1);
    } else {
      EXPECT_EQ(recording.books().recorded, 10'000u);
      EXPECT_EQ(all.back().at<std::uint64_t>(0), 9'999u);
    }
  }
}

TEST(Session, AnEventOf100KiBIsRefusedAndCounted) {
  const std::vector<std::uint64_t> big(12'800);
  Recording recording;  // sub-buffers of 64 KiB
  recording.start("second:huge");
  MAXLAT_TRACE(second, huge, big);
  MAXLAT_TRACE(second, huge, std::span(big).first(1000));
  EXPECT_EQ(recording.finish().size(), 1u);
  EXPECT_EQ(recording.books().lost_big, 1u);
  EXPECT_EQ(recording.books().produced(), 2u);
}

TEST(Session, OneLineForEachMistake) {
  const auto complaint = [](const ChannelOptions& options) {
    Recording recording(std::vector<ChannelOptions>{});
    const base::Status status = recording.session.add_channel(options);
    return status.ok() ? std::string("ok") : status.error().text;
  };
  EXPECT_EQ(complaint({.name = "x", .sub_buffer_size = 5000}), "channel x: a sub-buffer of 5000 bytes");
  EXPECT_EQ(complaint({.name = "x", .sub_buffer_size = 1ull << 40}), "channel x: a sub-buffer of 1099511627776 bytes");
  EXPECT_EQ(complaint({.name = "x", .sub_buffer_size = 0}), "channel x: a sub-buffer of 0 bytes");
  EXPECT_EQ(complaint({.name = "x", .sub_buffers = 3}), "channel x: 3 sub-buffers");
  EXPECT_EQ(complaint({.name = "x", .sub_buffers = 1}), "channel x: 1 sub-buffers");
  EXPECT_EQ(complaint({.name = "x", .slots = 5000}), "channel x: 5000 slots");
  EXPECT_EQ(complaint({.name = "a b"}), "not the name of a channel: a b");
  EXPECT_EQ(complaint({.name = ".hidden"}), "not the name of a channel: .hidden");
  EXPECT_EQ(complaint({.name = "x"}), "ok");

  Recording recording;
  EXPECT_FALSE(Session::create({.name = "test"}).ok());  // the name is taken
  EXPECT_FALSE(recording.session.enable("nowhere", "*").ok());
  EXPECT_FALSE(recording.session.enable("all", "a b").ok());
  EXPECT_FALSE(recording.session.descriptors().ok());
  Recording::expect_ok(recording.session.start());
  EXPECT_FALSE(recording.session.start().ok());
  EXPECT_FALSE(recording.session.add_channel({.name = "late"}).ok());
  Recording::expect_ok(recording.session.destroy());
  EXPECT_EQ(recording.session.start().error().text, "session test is destroyed");
  EXPECT_FALSE(Session::find("test").ok());
}

TEST(Session, AClockThatIsNotInvariantIsRefused) {
  base::CounterClock clock = base::clock_with_rate(2.5);
  clock.trusted = false;
  clock.why = "not invariant";
  base::Result<Session> session = Session::create({.name = "clock", .clock = clock});
  ASSERT_TRUE(session.ok());
  Recording::expect_ok(session->add_channel({}));
  const base::Status started = session->start();
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().text, "the time-stamp counter cannot be trusted: not invariant");
  EXPECT_EQ(started.error().exit_status, base::Exit::cannot_run);
  Recording::expect_ok(session->destroy());
}

// Memory is reserved otherwise for so long.
class Reserving {
 public:
  explicit Reserving(ReserveMemory otherwise) : real_(std::exchange(reserve_memory, otherwise)) {}
  ~Reserving() { reserve_memory = real_; }
  Reserving(const Reserving&) = delete;
  Reserving& operator=(const Reserving&) = delete;

 private:
  const ReserveMemory real_;
};

TEST(Session, WithoutMemoryARingIsNotHadAndTheEventsAreCounted) {
  Recording recording;
  recording.start("first:one");
  auto without = std::make_optional<Reserving>([](int, int, std::int64_t, std::int64_t) {
    errno = ENOSPC;
    return -1;
  });
  errno = 0;
  MAXLAT_TRACE(first, one, 1);
  EXPECT_EQ(errno, 0);
  without.reset();
  MAXLAT_TRACE(first, one, 2);  // remembered: no second attempt
  EXPECT_EQ(recording.books().lost_no_ring, 2u);
  EXPECT_TRUE(prepare_thread());  // this asks again
  MAXLAT_TRACE(first, one, 3);
  EXPECT_EQ(recording.finish().size(), 1u);
  EXPECT_EQ(recording.books().produced(), 3u);
}

// No memory is for as long as the session runs: an attempt takes system calls, and the next event's would fail, too.
TEST(Session, AThreadThatFoundNoMemoryFindsItAfterTheNextStart) {
  Recording recording;
  recording.start("first:one");
  auto without = std::make_optional<Reserving>([](int, int, std::int64_t, std::int64_t) {
    errno = ENOSPC;
    return -1;
  });
  MAXLAT_TRACE(first, one, 1);
  without.reset();
  MAXLAT_TRACE(first, one, 2);
  EXPECT_EQ(recording.books().lost_no_ring, 2u);
  Recording::expect_ok(recording.session.stop());
  Recording::expect_ok(recording.session.start());
  MAXLAT_TRACE(first, one, 3);
  EXPECT_EQ(recording.books().lost_no_ring, 2u);
  EXPECT_EQ(recording.finish().size(), 1u);
}

TEST(Session, ThatCannotBeMadeLeavesNothingBehind) {
  static int calls;
  calls = 0;
  // The second ring of a per-CPU channel is the third piece of memory: the head is the first.
  auto little = std::make_optional<Reserving>([](int, int, std::int64_t, std::int64_t) {
    errno = ENOMEM;
    return ++calls < 3 ? 0 : -1;
  });
  Recording recording({{.name = "c", .ownership = Ownership::per_cpu}, {.name = "d", .ownership = Ownership::per_cpu}});
  const base::Status started = recording.session.start();
  little.reset();
  ASSERT_FALSE(started.ok());
  EXPECT_NE(started.error().text.find("no memory for the ring of CPU"), std::string::npos) << started.error().text;
  EXPECT_EQ(MaxlatTraceEvent_first_one::event.wanted.load(), 0u);
  recording.start("first:one");  // and now it can
  MAXLAT_TRACE(first, one, 1);
  EXPECT_EQ(recording.finish().size(), 1u);
}

TEST(Session, AFileSizeLimitIsAnErrorAndNoSignal) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1 << 20, before.rlim_max};
  Recording recording;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const base::Status started = recording.session.start();
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_FALSE(started.ok());
  EXPECT_NE(started.error().text.find("limit of file sizes"), std::string::npos) << started.error().text;
}

TEST(Session, WakesTheConsumerOnceAFilledSubBuffer) {
  Recording recording({{.name = "all", .delivery = Delivery::wakeup, .sub_buffer_size = 4096, .sub_buffers = 8}});
  recording.start("first:one");
  const Memory memory(recording.session);
  ASSERT_TRUE(memory.wakeup);
  const auto wakeups = [&] {
    std::uint64_t count = 0;
    return read(memory.wakeup.number(), &count, sizeof(count)) == sizeof(count) ? count : 0;
  };
  // 112 + 249 * 16 = 4096: the 250th opens the second packet.
  MAXLAT_TRACE(first, one, 0);
  wakeups();  // the first packet of a ring says that there is one
  for (int n = 1; n < 249; ++n) MAXLAT_TRACE(first, one, 1);
  EXPECT_EQ(wakeups(), 0u);
  MAXLAT_TRACE(first, one, 2);
  EXPECT_EQ(wakeups(), 1u);
  for (int n = 0; n < 3 * 249; ++n) MAXLAT_TRACE(first, one, 1);
  EXPECT_EQ(wakeups(), 3u);
}

TEST(Session, PerCpuRecordsGoToTheRingOfTheirCpu) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  Recording recording({{.name = "all", .ownership = Ownership::per_cpu, .sub_buffer_size = 4096}});
  recording.start("first:one");
  std::uint64_t expected = 0;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &before)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    for (int i = 0; i < 3; ++i, ++expected) MAXLAT_TRACE(first, one, cpu);
  }
  sched_setaffinity(0, sizeof(before), &before);
  const std::vector<Recorded> all = recording.finish();
  EXPECT_EQ(all.size(), expected);
  for (const Recorded& record : all) {
    EXPECT_EQ(record.at<std::uint64_t>(0), record.slot);
    EXPECT_EQ(record.owner, record.slot);
  }
}

TEST(Session, ItsMemorySaysWhoMadeItAndByWhichClock) {
  Recording recording;
  recording.start("first:one");
  const Memory memory(recording.session);
  const maxlat_shm_header& header = memory.header();
  EXPECT_STREQ(header.name, "test");
  EXPECT_EQ(header.pid, static_cast<std::uint32_t>(getpid()));
  EXPECT_GT(header.pid_start_time, 0u);
  EXPECT_EQ(header.pid_start_time, base::start_time_of(getpid()));
  EXPECT_EQ(header.clock.ticks_per_second, 2'500'000'000u);
  timespec wall{};
  clock_gettime(CLOCK_REALTIME, &wall);
  const double told_s =
      static_cast<double>(maxlat_counter_plain()) / 2.5e9 + static_cast<double>(header.clock.realtime_offset_ns) * 1e-9;
  EXPECT_NEAR(told_s, static_cast<double>(wall.tv_sec), 2) << "in seconds";
  char uuid[40];
  const std::uint8_t* u = header.uuid;
  std::snprintf(uuid, sizeof uuid, "%02x%02x%02x%02x-%02x%02x-%02x%02x-", u[0], u[1], u[2], u[3], u[4], u[5], u[6],
                u[7]);
  EXPECT_NE(memory.metadata().find(uuid), std::string::npos) << uuid;
}

TEST(Session, RaisesSnapshotRequestsNotTooOften) {
  Recording recording;
  recording.session.request_snapshot();  // before there is memory: nothing
  recording.start("first:one");
  const Memory memory(recording.session);
  recording.session.request_snapshot();
  EXPECT_EQ(memory.freeze().requests, 1u);
  EXPECT_GT(memory.freeze().time, 0u);
  EXPECT_FALSE(recording.session.snapshot_if_above(10, 10, std::chrono::nanoseconds(0)));
  EXPECT_TRUE(recording.session.snapshot_if_above(11, 10, std::chrono::hours(24)));
  EXPECT_FALSE(recording.session.snapshot_if_above(11, 10, std::chrono::hours(24)));
  EXPECT_EQ(memory.freeze().requests, 2u);
}

TEST(Session, FlushHandsOverWhatTheThreadHasBegun) {
  Recording recording;
  recording.start("first:one");
  Memory memory(recording.session);
  MAXLAT_TRACE(first, one, 1);
  EXPECT_EQ(memory.take().size(), 0u);
  flush();
  EXPECT_EQ(memory.take().size(), 1u);
}

TEST(Session, FlushHandsOverThePacketOfTheCpuItRunsOn) {
  Recording recording({{.name = "all", .ownership = Ownership::per_cpu, .sub_buffer_size = 4096}});
  recording.start("first:one");
  cpu_set_t before, one;
  sched_getaffinity(0, sizeof before, &before);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  Memory memory(recording.session);
  MAXLAT_TRACE(first, one, 1);
  EXPECT_EQ(memory.take().size(), 0u);
  flush();
  EXPECT_EQ(memory.take().size(), 1u);
  sched_setaffinity(0, sizeof before, &before);
}

TEST(Session, SixteenFastChannelsLiveAtATimeAndNoMore) {
  std::vector<ChannelOptions> eight;
  for (char name = 'a'; name < 'i'; ++name) eight.push_back({.name = {name}, .sub_buffer_size = 4096, .slots = 1});
  Recording one(eight, "one"), two(eight, "two");
  Recording::expect_ok(one.session.start());
  Recording::expect_ok(two.session.start());
  {
    Recording three({{.name = "a"}}, "three");
    EXPECT_FALSE(three.session.start().ok());
    Recording cpu({{.name = "c", .ownership = Ownership::per_cpu, .sub_buffer_size = 4096}}, "cpu");
    Recording::expect_ok(cpu.session.start());  // another kind
  }
  Recording::expect_ok(one.session.destroy());
  Recording three({{.name = "a"}}, "three");
  Recording::expect_ok(three.session.start());
}

TEST(Control, AnswersEveryRequest) {
  using detail::answer;
  EXPECT_EQ(answer("create control").text, "ok\n");
  EXPECT_EQ(answer("channel control c mode=overwrite per=thread size=4096 count=4 slots=3 deliver=wakeup").text,
            "ok\n");
  EXPECT_EQ(answer("enable control c first:* level=6").text, "ok\n");
  EXPECT_EQ(answer("disable control c first:two\n").text, "ok\n");
  EXPECT_EQ(answer("attach control").text.substr(0, 6), "error ");
  const ControlAnswer started = answer("start control");
  EXPECT_EQ(started.text, "ok\n");
  EXPECT_EQ(started.descriptors.size(), 2u);
  EXPECT_EQ(answer("attach control").descriptors.size(), 2u);
  trace_all(1);
  EXPECT_EQ(answer("snapshot control").text, "ok\n");
  EXPECT_EQ(answer("stop control").text, "ok\n");
  EXPECT_EQ(answer("status").text,
            "ok\nsession control stopped\nchannel c produced 1 recorded 1 lost_full 0 lost_wrap 0 lost_big 0 "
            "lost_no_ring 0 slots 1/3\n");
  EXPECT_EQ(answer("destroy control").text, "ok\n");
  EXPECT_EQ(answer("status").text, "ok\n");
  const std::string list = answer("list").text;
  EXPECT_NE(list.find("event second:huge info\nfield bytes uint64[0..13000]\n"), std::string::npos);
  EXPECT_NE(answer("hello").text.find("\npid " + std::to_string(getpid()) + "\n"), std::string::npos);
  EXPECT_TRUE(answer("resume").resume);
}

TEST(Control, RefusesWhatItDoesNotKnow) {
  using detail::answer;
  answer("create control");
  for (const char* bad : {"", " ", "bogus", "create", "create control", "create a/b", "channel control c mode=maybe",
                          "channel control c size=12x", "channel control c size=-1", "channel control c =",
                          "enable control c", "enable control c * level=9", "enable control c * 3", "start control",
                          "stop nothing", "channel control c size=99999999999999999999999"}) {
    EXPECT_EQ(answer(bad).text.substr(0, 6), "error ") << bad;
  }
  answer("destroy control");
}

}  // namespace
