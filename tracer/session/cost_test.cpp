// SPDX-License-Identifier: MIT
// Instructions of a whole MAXLAT_TRACE with three 64-bit fields, from the tracepoint to the last: counted by
// single-stepping, a figure that noise cannot touch. The ring's part of it alone is in ring/cost_test.cpp.
#include <maxlat/trace.h>
#include <sched.h>

#include <algorithm>
#include <maxlat/trace/probe.hpp>
#include <thread>

#include "ring/test_single_step.hpp"
#include "session/test_recording.hpp"

MAXLAT_TRACE_EVENT(cost, three, (std::uint64_t, a), (std::uint64_t, b), (std::uint64_t, c))

enum class CostState : std::uint64_t { one = 1, two };
MAXLAT_TRACE_ENUM(CostState, one, two)
MAXLAT_TRACE_EVENT(cost, shown, (maxlat::trace::Hex<std::uint64_t>, a), (CostState, b), (std::uint64_t, c))

MAXLAT_C_EVENT(cost, from_c, scalar(uint64_t, a), scalar(uint64_t, b), scalar(uint64_t, c))

namespace {

using namespace maxlat::trace;
using namespace maxlat::trace::test;
using maxlat::ring_test::SingleStep;

constexpr std::uint64_t limit(std::uint64_t gcc) {
#ifdef __clang__
  return gcc + gcc / 10;
#else
  return gcc;
#endif
}

__attribute__((noinline)) void traced(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  MAXLAT_TRACE(cost, three, a, b, c);
}
__attribute__((noinline)) void shown(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  MAXLAT_TRACE(cost, shown, a, static_cast<CostState>(b), c);
}
__attribute__((noinline)) void traced_from_c(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  MAXLAT_C_TRACE(cost, from_c, a, b, c);
}
// What the counting itself costs: the same call of a function that does nothing.
__attribute__((noinline)) void not_traced(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  asm volatile("" : : "r"(a), "r"(b), "r"(c) : "memory");
}

template <class Function>
__attribute__((noinline)) std::uint64_t steps_of(Function function) {
  const SingleStep stepper;
  SingleStep::interrupt(UINT64_MAX, nullptr, [&] { function(1, 2, 3); });
  return SingleStep::steps();
}
std::uint64_t instructions() {
  return steps_of(traced) - steps_of(not_traced);
}

// Where all events of a session per CPU go into one ring.
class OnOneCpu {
 public:
  OnOneCpu() {
    sched_getaffinity(0, sizeof(before_), &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof(one), &one);
  }
  ~OnOneCpu() { sched_setaffinity(0, sizeof(before_), &before_); }
  OnOneCpu(const OnOneCpu&) = delete;
  OnOneCpu& operator=(const OnOneCpu&) = delete;

 private:
  cpu_set_t before_{};
};

void report(const char* what, std::uint64_t count) {
  testing::Test::RecordProperty(what, std::to_string(count));
  std::printf("%s: %lu instructions\n", what, static_cast<unsigned long>(count));
}

TEST(TraceCost, DisabledIsTwoInstructions) {
  const std::uint64_t count = instructions();
  report("disabled", count);
  EXPECT_EQ(count, 2u);
}

TEST(TraceCost, PerThreadIsAtMost60) {
  for (const FullBuffer mode : {FullBuffer::discard, FullBuffer::overwrite}) {
    Recording recording({{.name = "all", .when_full = mode}});
    recording.start("cost:*");
    traced(1, 2, 3);
    const std::uint64_t count = instructions();
    report(mode == FullBuffer::discard ? "per thread, discard" : "per thread, overwrite", count);
    EXPECT_LE(count, limit(60));
    EXPECT_EQ(recording.finish().size(), 2u);
  }
}

TEST(TraceCost, WithTheCpuIsAtMost64) {
  Recording recording({{.name = "all", .context = Context::cpu}});
  recording.start("cost:*");
  traced(1, 2, 3);
  const std::uint64_t count = instructions();
  report("per thread, with the CPU", count);
  EXPECT_LE(count, limit(64));
  EXPECT_EQ(recording.finish().size(), 2u);
}

// How a field is shown is the reader's business.
TEST(TraceCost, HexadecimalAndEnumerationsCostWhatIntegersCost) {
  const OnOneCpu one_ring;
  for (const Ownership ownership : {Ownership::per_thread, Ownership::per_cpu}) {
    Recording recording({{.name = "all", .ownership = ownership}});
    recording.start("cost:*");
    traced(1, 2, 3);
    shown(1, 2, 3);
    EXPECT_EQ(steps_of(shown), steps_of(traced));
    EXPECT_EQ(recording.finish().size(), 4u);
  }
}

// The C interface finds fields and channels at run time (c/record.cpp).
TEST(TraceCost, AnEventOfCIsAtMost300) {
  EXPECT_LE(steps_of(traced_from_c) - steps_of(not_traced), 3u) << "disabled";
  const OnOneCpu one_ring;
  for (const Ownership ownership : {Ownership::per_thread, Ownership::per_cpu}) {
    Recording recording({{.name = "all", .ownership = ownership}});
    recording.start("cost:*");
    traced_from_c(1, 2, 3);
    const std::uint64_t count = steps_of(traced_from_c) - steps_of(not_traced);
    report(ownership == Ownership::per_thread ? "from C, per thread" : "from C, per CPU", count);
    EXPECT_LE(count, limit(300));
    EXPECT_EQ(recording.finish().size(), 2u);
  }
}

TEST(TraceCost, PerCpuIsAtMost60) {
  const OnOneCpu one_ring;
  Recording recording({{.name = "all", .ownership = Ownership::per_cpu}});
  recording.start("cost:*");
  traced(1, 2, 3);
  const std::uint64_t count = instructions();
  report("per CPU, discard", count);
  EXPECT_LE(count, limit(60));
  EXPECT_EQ(recording.finish().size(), 2u);
}

// Full of events that nobody reads: a producer that is overrun anyway shall not pay for it more than before.
TEST(TraceCost, DroppingCostsLessThanRecording) {
  const OnOneCpu one_ring;
  for (const Ownership ownership : {Ownership::per_thread, Ownership::per_cpu}) {
    Recording recording({{.name = "all", .ownership = ownership, .sub_buffer_size = 4096, .sub_buffers = 2}});
    recording.start("cost:*");
    ASSERT_TRUE(prepare_thread());
    const std::uint64_t recording_takes = instructions();
    for (int i = 0; i < 600; ++i) traced(1, 2, 3);
    const std::uint64_t dropping_takes = instructions();
    report(ownership == Ownership::per_thread ? "dropped, per thread" : "dropped, per CPU", dropping_takes);
    EXPECT_LT(dropping_takes, recording_takes);
    EXPECT_LT(recording.finish().size(), 602u);
  }
}

// Two times round the ring, nobody reading: packets end and begin, in overwriting mode the reader is pushed. The look
// at the fast case, which fails first, is in it.
TEST(TraceCost, TheLongestWayIsAtMost300) {
  for (const Ownership ownership : {Ownership::per_thread, Ownership::per_cpu}) {
    for (const FullBuffer mode : {FullBuffer::discard, FullBuffer::overwrite}) {
      Recording recording(
          {{.name = "all", .when_full = mode, .ownership = ownership, .sub_buffer_size = 4096, .sub_buffers = 2}});
      recording.start("cost:*");
      ASSERT_TRUE(prepare_thread());
      std::uint64_t longest = 0;
      for (int i = 0; i < 600; ++i) longest = std::max(longest, instructions());
      report(ownership == Ownership::per_thread ? "longest, per thread" : "longest, per CPU", longest);
      EXPECT_LE(longest, limit(300));
    }
  }
}

TEST(TraceCost, TheFirstEventOfAPreparedThreadCostsWhatTheOthersCost) {
  for (const FullBuffer mode : {FullBuffer::discard, FullBuffer::overwrite}) {
    Recording recording({{.name = "all", .when_full = mode}});
    recording.start("cost:*");
    ASSERT_TRUE(prepare_thread());
    const std::uint64_t first = instructions();
    // Once in 2^32 ticks a record is a long one (ring/record.h).
    const std::uint64_t later = std::min(instructions(), instructions());
    report("first of a prepared thread", first);
    EXPECT_EQ(first, later);
  }
}

// Whoever starts a session makes the rings of threads that were prepared before.
TEST(TraceCost, TheFirstEventInASessionThatWasStartedLaterCostsWhatTheOthersCost) {
  const OnOneCpu one_ring;
  std::thread([] {
    ASSERT_TRUE(prepare_thread());
    for (const Ownership ownership : {Ownership::per_thread, Ownership::per_cpu}) {
      for (const FullBuffer mode : {FullBuffer::discard, FullBuffer::overwrite}) {
        Recording recording({{.name = "all", .when_full = mode, .ownership = ownership}});
        std::thread([&] { recording.start("cost:*"); }).join();
        const std::uint64_t first = instructions();
        const std::uint64_t later = std::min(instructions(), instructions());
        report("first of a prepared thread in a later session", first);
        EXPECT_EQ(first, later);
      }
    }
  }).join();
}

}  // namespace
