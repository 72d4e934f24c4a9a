// SPDX-License-Identifier: MIT OR GPL-2.0-only
// How many instructions an event of three fields takes, counted by single-stepping: a figure that noise cannot touch.
// The limits are those of the tracer's specification (60 common, 300 longest) for every mode and ownership; what is
// printed is what it is today. They bind the compiler that ships (gcc); clang is given a tenth more.
#include <gtest/gtest.h>
#include <maxlat/ring/switch.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "test_event_probe.h"
#include "test_memory.hpp"
#include "test_single_step.hpp"

namespace {

using namespace maxlat::ring_test;

constexpr uint32_t kSubBufferBits = 9, kRingBits = 1;
constexpr uint64_t kEventsToSubBuffer = 12;

constexpr uint64_t limit(uint64_t gcc) {
#ifdef __clang__
  return gcc + gcc / 10;
#else
  return gcc;
#endif
}

__attribute__((noinline)) bool thread_event(const maxlat_ring* ring) {
  return maxlat_ring_event(MAXLAT_RING_THREAD, ring, 7, 1, 2, 3);
}
const volatile uint32_t current_cpu = 0;  // as the kernel would tell it: that of the ring
__attribute__((noinline)) bool cpu_event(const maxlat_ring* ring) {
  return maxlat_ring_event_on(MAXLAT_RING_CPU, ring, {&current_cpu, 0}, 7, 1, 2, 3);
}
// What the counting itself costs: the same call of a function that does nothing.
__attribute__((noinline)) bool no_event(const maxlat_ring* ring) {
  asm volatile("" : : "r"(ring) : "memory");
  return true;
}
using Event = bool (*)(const maxlat_ring*);

class Cost : public testing::TestWithParam<std::tuple<uint32_t, Event>> {
 protected:
  Cost() : memory_(options_of(std::get<0>(GetParam()), kSubBufferBits, kRingBits)), event_(std::get<1>(GetParam())) {}

  uint64_t instructions() {
    const uint64_t around = instructions_of(no_event);
    return instructions_of(event_) - around;
  }
  __attribute__((noinline)) uint64_t instructions_of(Event event) {
    SingleStep::interrupt(UINT64_MAX, nullptr, [&] {
      const bool recorded = event(&memory_.ring);
      recorded_ = recorded;
    });
    return SingleStep::steps();
  }
  void events(uint64_t n) {
    for (uint64_t i = 0; i < n; ++i) event_(&memory_.ring);
  }
  void report(const char* what, uint64_t count) {
    RecordProperty(what, std::to_string(count));
    std::printf("%s: %lu instructions\n", what, static_cast<unsigned long>(count));
  }

  const SingleStep stepper_;
  RingMemory memory_;
  Event event_;
  bool recorded_ = false;
};

TEST_P(Cost, CommonPathIsAtMost60Instructions) {
  events(3);
  const uint64_t count = instructions();
  report("common path", count);
  EXPECT_TRUE(recorded_);
  EXPECT_LE(count, limit(60));
}

TEST_P(Cost, LongestPathIsBounded) {
  // Every event of two times round the ring, the reader left behind: switches, delivery, claims, pushes.
  uint64_t longest = 0;
  for (uint64_t i = 0; i < 4 * kEventsToSubBuffer; ++i) longest = std::max(longest, instructions());
  report("longest path", longest);
  EXPECT_LE(longest, limit(300));
}

TEST_P(Cost, TheFirstEventOfAPacketThatWasOpenedAheadIsOneOfTheCommonPath) {
  ASSERT_TRUE(maxlat_ring_open_ahead(event_ == thread_event ? MAXLAT_RING_THREAD : MAXLAT_RING_CPU, &memory_.ring));
  const uint64_t first = instructions();
  EXPECT_EQ(first, instructions());
}

// An overwriting ring is never full: only the others drop. No clock and no CAS either: ring_bench has the time.
using CostOfDropping = Cost;
TEST_P(CostOfDropping, IsLessThanThatOfRecording) {
  events(3);
  const uint64_t recording = instructions();
  EXPECT_TRUE(recorded_);
  events(4 * kEventsToSubBuffer);
  const uint64_t dropping = instructions();
  EXPECT_FALSE(recorded_);
  report("dropped event", dropping);
  EXPECT_LT(dropping, recording);
}

constexpr uint32_t kOverwrite = MAXLAT_RING_OVERWRITE;
std::string name_of(const testing::TestParamInfo<Cost::ParamType>& parameter) {
  return std::string(std::get<1>(parameter.param) == thread_event ? "thread_" : "cpu_") +
         (std::get<0>(parameter.param) == 0 ? "discard" : "overwrite");
}

INSTANTIATE_TEST_SUITE_P(Rings, Cost,
                         testing::Combine(testing::Values(0u, kOverwrite), testing::Values(thread_event, cpu_event)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Rings, CostOfDropping,
                         testing::Combine(testing::Values(0u), testing::Values(thread_event, cpu_event)), name_of);

}  // namespace
