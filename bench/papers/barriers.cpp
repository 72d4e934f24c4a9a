// SPDX-License-Identifier: MIT
//
// paper_barriers [ROUNDS]: a write barrier in each event against one that the reader makes the writer's CPU execute,
// once for a sub-buffer (Desnoyers 2012, section 4.4: 131 072 events of 8 bytes to a sub-buffer of 1 MiB; 8 cycles
// against 2500; 419 to 1).
//
// A barrier in each event is what it adds to a store, and there are two of them: sfence, which orders stores, and the
// locked instruction that orders all, which is what Linux has for smp_mb(). The other is the system call of our reader
// (maxlat_ring_promote: membarrier), with a writer at work on another CPU, which it interrupts. x86 needs neither, for
// its stores stay in order; the ratio is the paper's question all the same.
#include <fmt/format.h>
#include <maxlat/base/counter.h>
#include <maxlat/ring/promote.h>

#include <atomic>
#include <cstdlib>
#include <maxlat/core/stats/statistics.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/realtime.hpp>
#include <thread>
#include <utility>

#include "rounds.hpp"

namespace {

using namespace maxlat;
using namespace maxlat::bench::papers;

constexpr uint64_t kPromotions = 20'000;
constexpr double kLeast_ns = 0.3;  // a cycle: two loops differ by as much for other reasons
volatile uint64_t record[8];

[[gnu::noinline]] void store(uint64_t turns) {
  for (uint64_t i = 0; i < turns; ++i) record[i % 8] = i;
}
[[gnu::noinline]] void store_and_barrier(uint64_t turns) {
  for (uint64_t i = 0; i < turns; ++i) {
    record[i % 8] = i;
    asm volatile("sfence" ::: "memory");
  }
}
[[gnu::noinline]] void store_and_full_barrier(uint64_t turns) {
  uint64_t word = 0;
  for (uint64_t i = 0; i < turns; ++i) {
    record[i % 8] = i;
    asm volatile("lock addq $0, %0" : "+m"(word) : : "memory", "cc");
  }
}

// ns of each call while a writer is at work on another CPU. Empty: the kernel cannot, or there is no other CPU.
std::vector<double> promotions(const core::CpuList& all, unsigned here, const base::CounterClock& clock) {
  std::vector<double> ns;
  if (all.size() < 2 || !maxlat_ring_register_for_promotion()) return ns;
  std::atomic<bool> runs = false, done = false;
  // Begun there: a thread that begins here does not run before this one, of the same real-time priority, waits.
  if (!core::set_affinity({all.front() != here ? all.front() : all.back()})) std::abort();
  std::thread writer([&] {
    // relaxed: nothing is handed over with either
    while (!done.load(std::memory_order_relaxed)) {
      store(1000);
      runs.store(true, std::memory_order_relaxed);
    }
  });
  if (!core::set_affinity({here})) std::abort();
  while (!runs.load(std::memory_order_relaxed)) continue;
  for (uint64_t i = 0; i < kPromotions; ++i) {
    const uint64_t begin = maxlat_counter_fenced();
    const bool promoted = maxlat_ring_promote();
    const uint64_t end = maxlat_counter_fenced();
    if (promoted) ns.push_back(clock.to_ns(static_cast<double>(end - begin)));
  }
  done.store(true, std::memory_order_relaxed);
  writer.join();
  return ns;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned rounds = rounds_of(argc, argv, 301);
  const auto all = core::allowed_cpus();
  if (rounds == 0) return 1;
  if (!all) {
    fmt::print(stderr, "{}\n", all.error().text);
    return 1;
  }
  const base::CounterClock clock = base::calibrate();
  fmt::print("## Barriers (Desnoyers 2012, section 4.4)\n\n");
  const unsigned here = begin_on_one_cpu(clock);
  const Outcome outcome = run_rounds({{"nothing", empty_loop},
                                      {"counter read", counter_reads},
                                      {"store", store},
                                      {"store, sfence", store_and_barrier},
                                      {"store, locked add", store_and_full_barrier}},
                                     rounds, clock);
  const std::vector<double> interrupts = promotions(*all, here, clock);
  if (interrupts.empty()) {
    fmt::print("no second CPU, or the kernel refuses membarrier(2)\n");
    return 77;
  }
  const double interrupt_ns = core::median(interrupts);
  fmt::print("{}\n\n", about_rounds(outcome));
  fmt::print(
      "Interrupt of the reader: {:.0f} ns, the median of {}, with a writer at work on the other CPU.\n\n"
      "| barrier | adds to a store, ns | 131072 of them to one interrupt | 32768 |\n|---|--:|--:|--:|\n",
      interrupt_ns, interrupts.size());
  for (const auto& [arm, name] : {std::pair{3, "sfence"}, std::pair{4, "a locked add of 0, smp_mb()"}}) {
    const double ns = outcome.costs[static_cast<size_t>(arm)].ns - outcome.costs[2].ns;
    if (ns < kLeast_ns)
      fmt::print("| {} | below {} | – | – |\n", name, kLeast_ns);
    else
      fmt::print("| {} | {:.2f} | {:.1f} : 1 | {:.1f} : 1 |\n", name, ns, 131072 * ns / interrupt_ns,
                 32768 * ns / interrupt_ns);
  }
  fmt::print(
      "\n131072: events of 8 bytes in a sub-buffer of 1 MiB, as the paper has it; 32768: ours, of three fields.\n");
  return 0;
}
