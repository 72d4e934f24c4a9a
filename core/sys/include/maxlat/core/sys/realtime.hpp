// SPDX-License-Identifier: MIT
//
// Making a thread a real-time thread: affinity, policy, locked and touched memory, idle states held off.
//
// Nothing outlives its owner: DmaLatency holds /dev/cpu_dma_latency open for its lifetime; affinity and policy belong
// to the calling thread and end with it. Each call reads back what the kernel really set, and fails if that differs
// from the request.
//
// THREADS: every function acts on the calling thread (lock_memory on the process).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace maxlat::core {

enum class Policy { other, batch, idle, fifo, round_robin, deadline };

struct Scheduling {
  Policy policy = Policy::fifo;
  int priority = 99;                       // fifo and round_robin: 1..99
  uint64_t runtime_ns = 0, period_ns = 0;  // deadline only; the deadline is the period
};

// "fifo", "rr", "other", "deadline:RUNTIME:PERIOD" (times with a unit: bare numbers are refused). Priority is a
// separate option: the result has `priority` where the policy has one, and 0 where it has none.
Result<Scheduling> parse_policy(std::string_view text, int priority = 99);
// "SCHED_FIFO 95", "SCHED_DEADLINE 50 us of 1 ms".
std::string to_string(const Scheduling& scheduling);
// What the calling thread runs under now. Also for reading back.
Result<Scheduling> current_scheduling();

Status set_affinity(const CpuList& cpus);
Status set_scheduling(const Scheduling& scheduling);
// Both, in the order that a busy CPU and SCHED_DEADLINE allow. `refused` makes the error of a policy that cannot be had
// the caller's: what it can do without.
Status become_real_time_on(unsigned cpu, const Scheduling& scheduling, const std::function<Error(Error)>& refused = {});
// mlockall(CURRENT | FUTURE), keeps freed heap, then touches `stack_bytes` of the caller's stack. A hint names
// RLIMIT_MEMLOCK when that is what is missing. With FUTURE every later thread's whole stack is locked (8 MiB each by
// default): many threads want a smaller stack size.
Status lock_memory(size_t stack_bytes = 256 * 1024);
// Touches stack of the calling thread (each measuring thread calls it after lock_memory by the process).
void touch_stack(size_t bytes = 256 * 1024);

// Holds /dev/cpu_dma_latency at `microseconds` (0: no idle state deeper than C0/C1) until destroyed.
class DmaLatency {
 public:
  static Result<DmaLatency> hold(int32_t microseconds);

 private:
  explicit DmaLatency(base::Descriptor device) : device_(std::move(device)) {}
  base::Descriptor device_;
};

// What takes the CPU from a FIFO loop that never sleeps. On a stock box it is stopped for stop_ns of each period (about
// 50 ms of each second), and no tuning of interrupts or idle states changes that.
//   rt_throttling  sched_rt_{period,runtime}_us in /proc/sys/kernel: the loop stops whether or not anyone waits. Since
//                  Linux 6.12 only kernels with CONFIG_RT_GROUP_SCHED have it (sched/rt.c: update_curr_rt()).
//   fair_server    since Linux 6.12, in debugfs per CPU: the loop stops only when an ordinary task starves behind it.
//                  sched_rt_runtime_us = -1 does not turn it off.
//   either         both may, and which of them does cannot be read.
struct RtThrottling {
  enum class By { nothing, rt_throttling, fair_server, either } by = By::nothing;
  bool known = false;  // false: could not be read (debugfs is for root); expect the stop
  uint64_t period_ns = 0, stop_ns = 0;
};
// Of these CPUs the longest stop; of all CPUs when none is named.
RtThrottling read_rt_throttling(const std::string& root = "/", const CpuList& cpus = {});

}  // namespace maxlat::core
