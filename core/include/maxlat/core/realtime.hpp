// SPDX-License-Identifier: MIT
//
// Making a thread a real-time thread: affinity, policy, locked and touched memory, idle states held off.
//
// All of it is undone by who did it: DmaLatency holds /dev/cpu_dma_latency open for its lifetime; affinity and policy
// belong to the calling thread and end with it. Each call reads back what the kernel made of it and fails when that is
// not what was asked for.
//
// THREADS: every function acts on the calling thread (lock_memory on the process).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <maxlat/core/cpu_list.hpp>
#include <maxlat/core/result.hpp>

namespace maxlat::core {

enum class Policy { other, fifo, round_robin, deadline };

struct Scheduling {
  Policy policy = Policy::fifo;
  int priority = 99;          // fifo and round_robin: 1..99
  uint64_t runtime_ns = 0, period_ns = 0;  // deadline only
};

// "fifo", "rr", "other", "deadline:RUNTIME:PERIOD" (times with unit). Priority is a separate option.
Result<Policy> parse_policy(std::string_view text);
std::string to_string(const Scheduling& scheduling);

Status set_affinity(const CpuList& cpus);
Status set_scheduling(const Scheduling& scheduling);
// mlockall(CURRENT | FUTURE), then touches `stack_bytes` of the caller's stack. A hint names RLIMIT_MEMLOCK when that is
// what is missing.
Status lock_memory(size_t stack_bytes = 256 * 1024);
// Touches stack of the calling thread (each measuring thread calls it after lock_memory by the process).
void touch_stack(size_t bytes = 256 * 1024);

// Holds /dev/cpu_dma_latency at `microseconds` (0: no idle state deeper than C0/C1) until destroyed.
class DmaLatency {
 public:
  static Result<DmaLatency> hold(int32_t microseconds);
  DmaLatency(DmaLatency&& other) noexcept;
  DmaLatency& operator=(DmaLatency&& other) noexcept;
  ~DmaLatency();

 private:
  explicit DmaLatency(int fd) : fd_(fd) {}
  int fd_ = -1;
};

// RT throttling (/proc/sys/kernel/sched_rt_{period,runtime}_us). A FIFO loop that never sleeps is stopped for
// period - runtime in each period on a stock box; stop_ns is that length, 0 when throttling is off.
struct RtThrottling {
  bool known = false;
  uint64_t period_ns = 0, stop_ns = 0;
};
RtThrottling read_rt_throttling();

}  // namespace maxlat::core
