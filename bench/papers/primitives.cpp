// SPDX-License-Identifier: MIT
//
// paper_primitives [ROUNDS]: what the primitives cost that a tracer can be made of, each alone and with ten reads and
// one write in its middle (Desnoyers 2009, section 4.7, tables 4.1 to 4.6). In user space, so there are neither
// interrupts nor preemption to be turned off.
//
// "Above the body" is what the primitive adds to the ten reads and the write. The thesis's point is there: a local
// compare-and-exchange disappears behind them, a locked one does not.
#include <fmt/format.h>
#include <maxlat/base/counter.h>
#include <pthread.h>

#include <array>

#include "rounds.hpp"

namespace {

using namespace maxlat;
using namespace maxlat::bench::papers;

uint64_t word;                   // on a cache line that only this CPU has
volatile uint64_t memory[16];    // the body's
volatile uint64_t sequence = 0;  // of the seqlock: even, nobody writes
pthread_spinlock_t spin_lock;

struct Nothing {
  static void begin() {}
  static void end() {}
};
struct PlainRead : Nothing {
  static void begin() { keep(maxlat_counter_plain()); }
};
struct FencedRead : Nothing {
  static void begin() { keep(maxlat_counter_fenced()); }
};
struct OrderedRead : Nothing {
  static void begin() { keep(maxlat_counter_ordered()); }
};
struct LocalExchange : Nothing {
  static void begin() {
    uint64_t expected = word;
    asm volatile("cmpxchgq %2, %1" : "+a"(expected), "+m"(word) : "r"(expected + 1) : "memory", "cc");
  }
};
struct LockedExchange : Nothing {
  static void begin() {
    uint64_t expected = word;
    asm volatile("lock cmpxchgq %2, %1" : "+a"(expected), "+m"(word) : "r"(expected + 1) : "memory", "cc");
  }
};
struct LocalAdd : Nothing {
  static void begin() {
    uint64_t value = 1;
    asm volatile("xaddq %0, %1" : "+r"(value), "+m"(word) : : "memory", "cc");
  }
};
struct LockedAdd : Nothing {
  static void begin() {
    uint64_t value = 1;
    asm volatile("lock xaddq %0, %1" : "+r"(value), "+m"(word) : : "memory", "cc");
  }
};
struct LoadFence : Nothing {
  static void begin() { asm volatile("lfence" ::: "memory"); }
};
struct StoreFence : Nothing {
  static void begin() { asm volatile("sfence" ::: "memory"); }
};
struct FullFence : Nothing {
  static void begin() { asm volatile("mfence" ::: "memory"); }
};
struct SpinLock {
  static void begin() { pthread_spin_lock(&spin_lock); }
  static void end() { pthread_spin_unlock(&spin_lock); }
};
struct SequenceRead {  // nobody writes, so it is never read again
  static void begin() { seen = sequence; }
  static void end() { keep(sequence == seen); }
  static inline uint64_t seen = 0;
};

template <class Primitive, bool kWithBody>
[[gnu::noinline]] void turns(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    Primitive::begin();
    if constexpr (kWithBody) {
      memory[10] = memory[0] + memory[1] + memory[2] + memory[3] + memory[4] + memory[5] + memory[6] + memory[7] +
                   memory[8] + memory[9];
    }
    Primitive::end();
    keep(i);
  }
}

struct Row {
  std::string_view name;
  void (*alone)(uint64_t);
  void (*with_body)(uint64_t);
};
template <class Primitive>
constexpr Row row(std::string_view name) {
  return {name, turns<Primitive, false>, turns<Primitive, true>};
}

// The first two are those that run_rounds() asks for.
constexpr std::array kRows = {row<Nothing>("nothing"),
                              row<PlainRead>("counter: rdtsc"),
                              row<FencedRead>("counter: lfence, rdtsc"),
                              row<OrderedRead>("counter: rdtscp"),
                              row<LocalExchange>("local compare-and-exchange"),
                              row<LockedExchange>("locked compare-and-exchange"),
                              row<LocalAdd>("local add"),
                              row<LockedAdd>("locked add"),
                              row<LoadFence>("lfence"),
                              row<StoreFence>("sfence"),
                              row<FullFence>("mfence"),
                              row<SpinLock>("spin lock and unlock"),
                              row<SequenceRead>("seqlock read")};
constexpr size_t kNothing = 0, kLocalExchange = 4, kLockedExchange = 5;

}  // namespace

int main(int argc, char** argv) {
  const unsigned rounds = rounds_of(argc, argv, 301);
  if (rounds == 0) return 1;
  pthread_spin_init(&spin_lock, PTHREAD_PROCESS_PRIVATE);
  const base::CounterClock clock = base::calibrate();
  fmt::print("## Primitives (Desnoyers 2009, section 4.7)\n\n");
  begin_on_one_cpu(clock);
  std::vector<Arm> arms;
  for (const Row& row : kRows) arms.push_back({row.name, row.alone});
  for (const Row& row : kRows) arms.push_back({row.name, row.with_body});
  const Outcome outcome = run_rounds(arms, rounds, clock);
  fmt::print("{}\n\n", about_rounds(outcome));
  fmt::print(
      "| primitive | ns | to a counter read | with the body, ns | above the body, ns |\n|---|--:|--:|--:|--:|\n");
  const auto alone = [&](size_t i) { return outcome.costs[i]; };
  const auto with_body = [&](size_t i) { return outcome.costs[kRows.size() + i].ns; };
  for (size_t i = 0; i < kRows.size(); ++i)
    fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n", kRows[i].name, alone(i).ns, alone(i).to_read,
               with_body(i), with_body(i) - with_body(kNothing));
  fmt::print(
      "\nLocked to local compare-and-exchange: {:.1f} alone; with the body the local one adds {:.2f} ns, the locked "
      "one {:.2f} ns.\n",
      alone(kLockedExchange).ns / alone(kLocalExchange).ns, with_body(kLocalExchange) - with_body(kNothing),
      with_body(kLockedExchange) - with_body(kNothing));
  return 0;
}
