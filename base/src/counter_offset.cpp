// SPDX-License-Identifier: MIT
//
// The offset between two CPUs' counters, by ping-pong over one cache line: the reference reads t0 and calls, the other
// answers with its own read, the reference reads t1. If both counters agree the answer lies in [t0, t1]; its distance
// from the middle is the offset, wrong by at most half the round trip. The shortest of many round trips bounds it best.
#include <sched.h>

#include <atomic>
#include <maxlat/base/clock.hpp>
#include <thread>

namespace maxlat::base {
namespace {

constexpr uint64_t kRounds = 4000;

struct alignas(64) Court {
  std::atomic<uint64_t> call{0};    // A: round number, by the reference
  std::atomic<uint64_t> answer{0};  // B: round number, by the other, after `ticks`
  uint64_t ticks = 0;
};

void pin_to(unsigned cpu) {
  cpu_set_t* set = CPU_ALLOC(cpu + 1);
  const size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  sched_setaffinity(0, bytes, set);
  CPU_FREE(set);
}

// Busy, so that a round trip is short; yielding now and then, so that two threads that must share one CPU make
// progress.
void wait_until(const std::atomic<uint64_t>& word, uint64_t round) {
  // acquire: pairs with the release store of the same word; without it the ticks of an older round could be seen
  for (unsigned spins = 1; word.load(std::memory_order_acquire) != round; ++spins)
    if (spins % 4096 == 0) std::this_thread::yield();
}

}  // namespace

CounterOffset measure_offset(unsigned reference_cpu, unsigned cpu) {
  Court court;
  CounterOffset offset;
  offset.uncertainty_ticks = UINT64_MAX;
  std::thread other([&court, cpu] {
    pin_to(cpu);
    for (uint64_t round = 1; round <= kRounds; ++round) {
      wait_until(court.call, round);
      court.ticks = maxlat_counter_fenced();
      court.answer.store(round, std::memory_order_release);  // publishes `ticks`
    }
  });
  std::thread reference([&court, &offset, reference_cpu] {
    pin_to(reference_cpu);
    for (uint64_t round = 1; round <= kRounds; ++round) {
      const uint64_t t0 = maxlat_counter_fenced();
      court.call.store(round, std::memory_order_release);  // orders t0 before the other's read
      wait_until(court.answer, round);
      const uint64_t t1 = maxlat_counter_fenced();
      const uint64_t half = (t1 - t0) / 2;
      if (half < offset.uncertainty_ticks) {
        offset.uncertainty_ticks = half;
        offset.ticks = static_cast<int64_t>(court.ticks - (t0 + half));
      }
    }
  });
  reference.join();
  other.join();
  return offset;
}

}  // namespace maxlat::base
