// SPDX-License-Identifier: MIT
//
// How late does a thread run after its timer: a real-time thread on each CPU that sleeps until an absolute time, again
// and again (cyclictest's measurement; wakeups.hpp says what a sample is).
//
// ERRORS   Exit::cannot_run without the right to the policy; a mistake in the settings; Exit::invalid where a thread
//          never had its CPU. A thread that loses its CPU later ends the phase as invalid, with who kept it from that.
// THREADS  the calling thread keeps off the measured CPUs where it can, and calls the observer. SIGINT ends the
//          measurement at a wake-up of each thread within a tenth of a second (core/sys/stop.hpp), or at its next.
#pragma once

#include <functional>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/realtime.hpp>
#include <optional>
#include <string>

#include "timers.hpp"

namespace maxlat::scheduling {

struct CyclicSettings {
  core::CpuList cpus;
  core::Scheduling scheduling{.priority = 95};
  TimerKind timer = TimerKind::nanosleep;
  uint64_t interval_ns = 1'000'000;
  bool aligned = false;                   // all threads are due at once, and not one after the other
  uint64_t duration_ns = 0;               // 0: no limit
  uint64_t loops = UINT64_MAX;            // wake-ups on each CPU
  uint64_t break_above_ns = 0;            // 0: no limit
  std::optional<std::string> trace_mark;  // a wake-up that is later is marked in this instance of ftrace ("": ftrace's
                                          // own), which is then stopped. REQUIRES: break_above_ns
  size_t outliers = 20;                   // kept on each CPU
  std::string kernel_events;              // who had the time of the outliers, by this back end
                                          // (attribution/kernel_backend.hpp); "": nobody asks
  bool hold_latency = true;               // /dev/cpu_dma_latency at 0
  uint64_t snapshot_period_ns = 0;
};

struct CyclicObserver {
  std::function<void(double elapsed_s, double max_ns)> on_second{};
  std::function<void(core::Phase so_far)> on_snapshot{};
};

struct CyclicRun {
  core::Phase phase;
  bool limit_exceeded = false;
};

core::Result<CyclicRun> measure_wakeups(const CyclicSettings& settings, const CyclicObserver& observer = {});

}  // namespace maxlat::scheduling
