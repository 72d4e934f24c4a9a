// SPDX-License-Identifier: MIT
#include "work.hpp"

#include <maxlat/base/counter.h>

#include <algorithm>
#include <chrono>
#include <maxlat/trace/thread.hpp>
#include <semaphore>
#include <thread>

namespace maxlat::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kFloodBytes = 4u << 20, kLine = 64;
constexpr int kWarmUp = 16;

void keep(std::uint64_t value) {
  asm volatile("" : : "r"(value) : "memory");
}

__attribute__((noinline)) void bare_reads(std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) keep(maxlat_counter_plain());
}

std::uint64_t ticks_of_a_batch(Arm::Run run) {
  const std::uint64_t begin = maxlat_counter_fenced();
  run(kBatch);
  return maxlat_counter_fenced() - begin;
}

__attribute__((noinline)) std::uint64_t one(Arm::Run run) {
  const std::uint64_t begin = maxlat_counter_fenced();
  run(1);
  const std::uint64_t end = maxlat_counter_ordered();
  asm volatile("lfence" ::: "memory");
  return end - begin;
}

void singles(Arm::Run run, Ticks& ticks) {
  for (int i = 0; i < kWarmUp; ++i) one(run);  // comes back into the caches
  for (std::uint64_t& each : ticks) each = one(run);
}

void cold(Arm::Run run, Ticks& ticks) {
  for (std::uint64_t& each : ticks) {
    std::this_thread::sleep_for(1ms);
    flood();
    each = one(run);
  }
}

}  // namespace

void flood() {
  static std::vector<std::uint8_t> memory(kFloodBytes);
  for (std::size_t i = 0; i < memory.size(); i += kLine) memory[i] = static_cast<std::uint8_t>(memory[i] + 1);
}

std::uint64_t first_event(Arm::Run run, const std::function<void()>& between) {
  std::uint64_t ticks = 0;
  std::binary_semaphore prepared{0}, traced{0};
  std::thread thread([&] {
    trace::prepare_thread();
    prepared.release();
    traced.acquire();
    for (int i = 0; i < kWarmUp; ++i) one(empty_loop);
    run(0);
    ticks = one(run);
  });
  prepared.acquire();
  between();
  traced.release();
  thread.join();
  return ticks;
}

__attribute__((noinline)) void empty_loop(std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) asm volatile("" : : : "memory");
}

Ticks perform(Arm::Run run, Work work, std::uint32_t samples, const std::function<void()>& after_thread) {
  if (work == Work::batch) {
    const std::uint64_t before = ticks_of_a_batch(empty_loop), reads = ticks_of_a_batch(bare_reads);
    const std::uint64_t events = ticks_of_a_batch(run);
    return {reads, events, std::max(before, ticks_of_a_batch(empty_loop))};
  }
  Ticks ticks(samples);
  if (work == Work::single) singles(run, ticks);
  if (work == Work::cold) cold(run, ticks);
  if (work == Work::first)
    for (std::uint64_t& each : ticks) {
      // The caller traces while the new thread waits on the same CPU.
      each = first_event(run, [run] { run(kWarmUp); });
      if (after_thread) after_thread();
    }
  return ticks;
}

}  // namespace maxlat::bench
