// SPDX-License-Identifier: MIT
//
// What a load's worker is told to do, and where it counts. worker.hpp starts it in a process of its own.
//
// SHARED PAGE, 256 bytes, mapped MAP_SHARED before the fork; one writer (the worker), one reader (its parent):
//   0 u64 work   8 u64 rounds   16 i64 counted at   24 i32 group of a foreign command   28 char reason[228]
// The counters are relaxed: the parent wants a recent value and orders nothing by them. `reason` is read only after the
// worker was reaped, which orders it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>

namespace maxlat::loadgen {

struct WorkerSlot {
  std::atomic<uint64_t> work;
  std::atomic<uint64_t> rounds;
  std::atomic<int64_t> counted_at_ns;  // by the steady clock: work is known until then; 0: it is counted as it is done
  std::atomic<int32_t> foreign_group;  // process group of a foreign command, 0 when there is none
  char reason[228];

  // relaxed: one writer; the reader wants a recent value, not an order
  void add(uint64_t units) { work.store(work.load(std::memory_order_relaxed) + units, std::memory_order_relaxed); }
  void counted_now() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    counted_at_ns.store(std::chrono::nanoseconds(now).count(), std::memory_order_relaxed);
  }
  void finish_round() { rounds.store(rounds.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
};
static_assert(sizeof(WorkerSlot) == 256 && alignof(WorkerSlot) == 8);
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<int32_t>::is_always_lock_free);

// What a worker does. Runs until the process is killed or, for those that clean up after themselves, until
// termination_requested(); returns early only with an Error.
using Work = std::function<core::Status(WorkerSlot&)>;

struct WorkerSpec {
  std::string name;    // of the process, as ps shows it: "load:cache"
  core::CpuList cpus;  // it is bound to these
  Work work;
  bool cleans_up = false;  // gets SIGTERM and time to clean up instead of SIGKILL, also when the parent dies
};

// In a worker that cleans up: true once SIGTERM has come.
bool termination_requested();

}  // namespace maxlat::loadgen
