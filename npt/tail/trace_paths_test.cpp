// SPDX-License-Identifier: MIT
//
// Traces made by hand, in which it is known what each event cost and why.
#include "trace_paths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

#include "outlier_watch.hpp"
#include "test_trace.hpp"

namespace maxlat::npt {
namespace {

using testing::ElementsAre;
using testing::Pair;

class TracePathsTest : public testing::Test {
 protected:
  TracePathsTest() {
    arm = *parse_arm("maxlat:timer,size=8k,count=2");
    run.threads = {{.cpu = 1, .thread_id = ScriptedTrace::kThread, .begin = 1000, .outliers = {}}};
  }
  TraceReadBack read() {
    trace.write();
    auto result = read_trace_back(trace.path(), arm, run);
    if (!result) throw std::runtime_error(result.error().text);
    EXPECT_EQ(result->damage, "");
    return std::move(*result);
  }
  // {path, {gaps, longest}} of those that have any.
  using Told = std::vector<std::pair<std::string, std::pair<uint64_t, uint64_t>>>;
  Told told() {
    Told result;
    for (const PathGaps& path : read().tail.paths)
      if (path.gaps.total() > 0) result.push_back({path.name, {path.gaps.total(), path.gaps.max()}});
    return result;
  }
  // `n` events in turns of 30 ticks, the first of them at `time`; ends with the time of the next.
  uint64_t turns(uint64_t time, uint64_t first_count, uint64_t n, uint64_t first_ticks = 30) {
    for (uint64_t i = 0; i < n; ++i) trace.loop(time + 30 * i, first_count + i, i == 0 ? first_ticks : 30);
    return time + 30 * n;
  }

  ScriptedTrace trace;
  ArmSpec arm;
  ArmRun run;
};

TEST_F(TracePathsTest, TheGapIsThatOfTheEventBeforeTheOneThatTellsIt) {
  trace.begin_packet(0, 500);
  trace.start(500);
  trace.loop(1005, 0, 0);
  trace.loop(1035, 1, 30);
  trace.begin_packet(1, 1065);  // this one switches; what it cost stands in the next
  trace.loop(1065, 2, 31);
  trace.loop(1565, 3, 500);
  trace.stop(1600);
  EXPECT_THAT(told(), ElementsAre(Pair("ordinary event", Pair(2, 31)), Pair("sub-buffer switch", Pair(1, 500))));
  EXPECT_EQ(read().events, 6u);
}

TEST_F(TracePathsTest, ASwitchWithAWakeupIsCalledSo) {
  arm.policy = "wakeup";
  trace.begin_packet(0, 500);
  trace.start(500);
  trace.loop(1005, 0, 0);
  trace.begin_packet(1, 1065);
  trace.loop(1065, 1, 31);
  trace.loop(5565, 2, 4500);
  EXPECT_THAT(told(),
              ElementsAre(Pair("ordinary event", Pair(1, 31)), Pair("sub-buffer switch and wakeup", Pair(1, 4500))));
}

TEST_F(TracePathsTest, UncountedLoopsAndTheEndOfAStretchAreNobodys) {
  trace.begin_packet(0, 500);
  trace.start(500);
  trace.loop(510, 0, 0);
  trace.loop(540, 1, 30);  // the warm-up's
  trace.loop(1005, 0, 0);  // what the last of them cost is not told
  trace.loop(1035, 1, 33);
  trace.loop(9000, 0, 0);  // after a rest
  trace.loop(9030, 1, 34);
  EXPECT_THAT(told(), ElementsAre(Pair("ordinary event", Pair(2, 34))));
}

TEST_F(TracePathsTest, ALongRecordIsTheOneAfterASilence) {
  trace.begin_packet(0, 500);
  trace.start(500);
  run.event_in_every_turn = false;
  trace.loop(1005, 1, 0);
  trace.long_loop(1005 + (1ull << 32), 2, 35);
  trace.loop(1005 + (1ull << 32) + 1000, 90, 220);
  EXPECT_THAT(told(),
              ElementsAre(Pair("ordinary event", Pair(1, 35)), Pair("long record after a silence", Pair(1, 220))));
}

// Sub-buffers of 8 KiB: after header, start and 123 loops the next record runs into the second page.
TEST_F(TracePathsTest, APageIsTouchedFirstInTheFirstPassAlone) {
  uint64_t time = 1000, count = 0;
  for (uint64_t packet = 0; packet < 3; ++packet) {
    trace.begin_packet(packet, time);
    if (packet == 0) trace.start(500);
    const uint64_t before = packet == 0 ? 124 : 125;
    time = turns(time, count, before);
    trace.loop(time, count + before, 31);
    trace.loop(time + 200, count + before + 1, 200);
    count += before + 2;
    time += 230;
  }
  const Told seen = told();
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_THAT(seen[1], Pair("sub-buffer switch", Pair(2, 30)));
  EXPECT_THAT(seen[2], Pair("first touch of a page", Pair(2, 200)));
  EXPECT_THAT(seen[0], Pair("ordinary event", Pair(count - 1 - 4, 200))) << "the third packet is of the second pass";
}

TEST_F(TracePathsTest, TheLastOfASubBufferEndsWithIt) {
  trace.begin_packet(0, 500);
  trace.start(500);
  uint64_t time = turns(1000, 0, 251);
  trace.long_loop(time, 251, 30);  // 112 + 8 + 251 * 32 + 48 = 8200: not yet
  EXPECT_THAT(told(), testing::Not(testing::Contains(Pair("last event of a sub-buffer", testing::_))));
  trace.begin_packet(0, 500);
  time = turns(1000, 0, 251);
  trace.long_loop(time, 251, 30);  // 8192
  trace.begin_packet(1, time + 90);
  trace.loop(time + 90, 252, 90);
  trace.loop(time + 190, 253, 100);
  const Told seen = told();
  EXPECT_THAT(seen, testing::Contains(Pair("last event of a sub-buffer", Pair(1, 90))));
  EXPECT_THAT(seen, testing::Contains(Pair("sub-buffer switch", Pair(2, 100)))) << "and the first record";
}

TEST_F(TracePathsTest, BehindALossTheGapIsNobodys) {
  run.event_in_every_turn = false;  // so that counts tell nothing
  trace.begin_packet(0, 500, 7);    // closed when the next was opened: 7 were dropped in between
  trace.start(500);
  trace.loop(1005, 10, 0);
  trace.loop(1100, 13, 31);
  trace.begin_packet(1, 2000, 7);
  trace.loop(2000, 90, 5000);  // what the last dropped one cost
  trace.loop(2100, 93, 32);
  trace.begin_packet(3, 3000, 7);  // and a packet is missing
  trace.loop(3000, 99, 6000);
  trace.loop(3100, 100, 33);
  EXPECT_THAT(told(), ElementsAre(Pair("ordinary event", Pair(1, 31)), Pair("sub-buffer switch", Pair(2, 33))));
}

TEST_F(TracePathsTest, WhatAnOpenPacketHadInASnapshotIsNotCountedAgain) {
  arm = *parse_arm("maxlat:timer,overwrite,size=8k,count=2");
  trace.begin_snapshot(9);
  trace.begin_packet(0, 1000);
  turns(1000, 5, 3);
  trace.begin_snapshot(10);  // the same packet, which has grown
  trace.begin_packet(0, 1000);
  turns(1000, 5, 5);
  trace.begin_packet(1, 1150);
  turns(1150, 10, 2);
  EXPECT_EQ(read().events, 7u);
  EXPECT_THAT(told(), ElementsAre(Pair("ordinary event", Pair(4, 30)), Pair("sub-buffer switch", Pair(2, 30))));
}

TEST_F(TracePathsTest, WhatWasOverwrittenAfterASnapshotCountsOnce) {
  arm = *parse_arm("maxlat:timer,overwrite,size=8k,count=2");
  trace.begin_snapshot(1);
  trace.begin_packet(0, 1000);
  turns(1000, 5, 3);
  trace.close_packet(1100);
  trace.begin_packet(1, 1100);
  turns(1100, 8, 4);  // still open
  trace.begin_snapshot(2);
  trace.begin_packet(0, 5000);
  turns(5000, 90, 5);
  trace.close_packet(5200);
  trace.begin_snapshot(3);
  trace.begin_packet(0, 7000);
  turns(7000, 200, 2);
  EXPECT_EQ(read().events, 14u);
}

TEST_F(TracePathsTest, WithoutACommonCounterNothingIsTold) {
  run.threads.clear();
  trace.begin_packet(0, 500);
  trace.start(500);
  turns(1000, 0, 5);
  EXPECT_THAT(told(), ElementsAre());
  EXPECT_EQ(read().events, 6u);
}

class OutlierStoryTest : public TracePathsTest {
 protected:
  std::vector<OutlierStory> stories() { return read().tail.stories.at(0); }
  static std::vector<std::string> shown(const OutlierStory& story) {
    std::vector<std::string> lines;
    for (const TracedEvent& event : story.events)
      lines.push_back(std::to_string(event.time) + " " + event.name + " " + event.fields + " " + event.path);
    return lines;
  }
};

TEST_F(OutlierStoryTest, AnOutlierHasThePathOfTheEventWithinItAndTheEventsAroundIt) {
  trace.begin_packet(0, 500);
  trace.start(500);
  turns(1005, 0, 4, 0);
  trace.begin_packet(1, 1125);
  trace.loop(1125, 4, 30);
  trace.loop(1635, 5, 510);
  trace.loop(2665, 6, 1030);
  trace.loop(2700, 7, 35);
  trace.stop(2800);
  run.threads[0].outliers = {{1030, 2660}, {510, 1630}};
  const auto told = stories();
  EXPECT_EQ(told[0].path, "ordinary event");
  EXPECT_EQ(told[1].path, "sub-buffer switch");
  EXPECT_EQ(told[0].cause + told[1].cause, "");
  EXPECT_THAT(shown(told[1]),
              ElementsAre("1035 npt:loop count 1, ticks 30 ", "1065 npt:loop count 2, ticks 30 ",
                          "1095 npt:loop count 3, ticks 30 ", "1125 npt:loop count 4, ticks 30 sub-buffer switch",
                          "1635 npt:loop count 5, ticks 510 ", "2665 npt:loop count 6, ticks 1030 "));
  EXPECT_THAT(shown(told[0]), testing::SizeIs(6));
  EXPECT_EQ(shown(told[0]).back(), "2700 npt:loop count 7, ticks 35 ");
}

TEST_F(OutlierStoryTest, AGapWithoutAnEventIsNotTheTracers) {
  run.event_in_every_turn = false;
  trace.begin_packet(0, 500);
  trace.start(500);
  trace.loop(2000, 9, 0);
  trace.loop(5000, 90, 30);
  trace.stop(6000);
  run.threads[0].outliers = {{900, 4000}, {800, 1900}, {700, 5900}};
  for (const OutlierStory& story : stories()) {
    EXPECT_EQ(story.path, "");
    EXPECT_EQ(story.cause, "no tracepoint in it: not the tracer's");
  }
}

TEST_F(OutlierStoryTest, WhatWasLostIsNotGuessed) {
  trace.begin_packet(0, 500, 7);
  trace.start(500);
  trace.loop(2000, 9, 0);
  trace.begin_packet(1, 5000, 7);
  trace.loop(5000, 90, 30);
  run.threads[0].outliers = {{900, 4000}, {700, 5900}};  // between the two, and behind a trace that has no end
  for (const OutlierStory& story : stories()) {
    EXPECT_EQ(story.path, "event dropped");
    EXPECT_TRUE(story.events.empty());
  }
  run.event_in_every_turn = false;
  for (const OutlierStory& story : stories()) {
    EXPECT_EQ(story.path, "");
    EXPECT_EQ(story.cause, "event dropped, if it had one");
  }
}

TEST_F(OutlierStoryTest, TheStopMayHaveFoundRoomWhereNoLoopDid) {
  trace.begin_packet(0, 500, 7);
  trace.start(500);
  trace.loop(2000, 9, 0);
  trace.stop(9000);
  run.threads[0].outliers = {{900, 4000}};
  EXPECT_EQ(stories()[0].path, "event dropped");
}

TEST_F(OutlierStoryTest, OnlySoManyHaveEvents) {
  trace.begin_packet(0, 500);
  trace.start(500);
  turns(1000, 0, 100, 0);
  trace.stop(5000);
  for (uint64_t i = 0; i < 50; ++i) run.threads[0].outliers.push_back({30, 1025 + 30 * (i + 4)});
  const auto told = stories();
  for (size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(told[i].path, "ordinary event") << i;
    EXPECT_EQ(told[i].events.size(), i < OutlierWatch::kWithEvents ? 6u : 0u) << i;
  }
}

TEST(ArmTail, WhatNoPathHasIsAPathToo) {
  const base::CounterClock clock = base::clock_with_rate(1);
  ArmTail tail;
  tail.untold = "event dropped";
  tail.paths = {{"ordinary event", false, {}}, {"sub-buffer switch", true, {}}, {"never taken", true, {}}};
  base::Histogram all;
  for (uint64_t gap : {30u, 30u, 31u, 5000u}) all.record(gap);
  for (uint64_t gap : {30u, 31u}) tail.paths[0].gaps.record(gap);
  tail.paths[1].gaps.record(5000);
  ArmRun run;
  run.threads = {{.cpu = 3, .thread_id = 1, .begin = 0, .outliers = {{5000, 7000}}}};
  tail.stories = {{{"sub-buffer switch", "", {{6500, "npt:loop", "count 1, ticks 2", ""}}}}};
  core::Phase phase;
  phase.per_cpu.resize(1);
  phase.per_cpu[0].outliers = {{.t_ns = 400, .latency_ns = 5000, .cpu = 3, .cause = ""}};
  enter_tail(tail, run, all, clock, phase);
  ASSERT_EQ(phase.paths.size(), 3u);
  EXPECT_EQ(phase.paths[0].gaps.samples, 2u);
  EXPECT_EQ(phase.paths[1].gaps.max_ns, 5000);
  EXPECT_EQ(phase.paths[2].name, "event dropped");
  EXPECT_EQ(phase.paths[2].gaps.samples, 1u);
  EXPECT_EQ(phase.paths[2].gaps.max_ns, 30);
  const core::Outlier& outlier = phase.per_cpu[0].outliers[0];
  EXPECT_EQ(outlier.path, "sub-buffer switch");
  EXPECT_EQ(outlier.events.at(0).t_ns, -100) << "500 ns before the end of the gap";
}

}  // namespace
}  // namespace maxlat::npt
