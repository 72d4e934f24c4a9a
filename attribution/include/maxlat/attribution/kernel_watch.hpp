// SPDX-License-Identifier: MIT
//
// Watches the kernel while loops measure, and says of their largest gaps who had the time; and of the whole run, what
// the kernel did how often and how long.
//
// WAKE-UPS   of another program's threads are in the table of their CPU (CpuInterference::wakeups), the latest of them;
//            the table begins with the first event of the thread there, and ends with finish().
// HOW        The kernel records its events of the measured CPUs into buffers of our own (by our module, or in tracefs).
//            A thread of ours, on the caller's CPUs and before their loads, empties them many times a second, keeps the
//            newest events, and accounts for a gap as soon as a loop asks for it (asked_gaps.hpp): what a gap needs is
//            then still there, and memory does not grow with the run.
// OTHER CPUS What they do to the measured ones is recorded, too: who wakes a thread there, or sends an interrupt. That
//            is by tracefs, whichever back end records the rest, and left out where it cannot be had.
// COST       in the loop: nothing, but for the few gaps that are asked for. On a measured CPU: the recording of each
//            event, so that every interrupt is longer (docs/who-did-it.md).
// THREADS    start(), finish() and the destructor: the caller. gaps_of(): any, before the loops start.
// UNDONE     by the destructor: nothing of it is left in the kernel (but see elsewhere/sender_probes.hpp).
#pragma once

#include <cstdint>
#include <maxlat/attribution/accounting.hpp>
#include <maxlat/attribution/kernel_backend.hpp>
#include <maxlat/core/machine/machine_counts.hpp>
#include <maxlat/core/result/accounting.hpp>
#include <maxlat/core/result/interference.hpp>
#include <maxlat/core/sys/asked_gaps.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <memory>
#include <string>
#include <vector>

namespace maxlat::attribution {

// What is handed over as a gap.
enum class Watched {
  loop,  // ticks between two reads of the counter by a thread that runs
  // Ticks from the time at which a timer was due to the first read of the thread that it woke. Each has its own thread,
  // and a partner that had the CPU until then.
  preemption,
  timer,  // ns of CLOCK_MONOTONIC, from the time until which a thread slept to the one that it read when it ran
  // Nothing: the meter is another program, one of our children, and its wake-ups are found in the kernel's events.
  another_program,
};

// Of another program: what the kernel calls its measuring threads, one on each CPU, and their real-time priority.
struct WatchedThreads {
  std::string name{};
  int priority = 0;
};

struct WatchPlan {
  core::CpuList cpus;
  double ticks_per_ns = 1;
  Watched watched = Watched::loop;
  WatchedThreads threads{};  // of another program
  size_t gaps_kept = 20;     // of each CPU: the largest that were asked for, or the latest wake-ups
  std::string backend = kAnyBackend;
};

// One gap's list, in the result's words.
struct AccountedGap {
  uint64_t ticks = 0, end = 0;
  std::vector<core::AccountedTime> parts;
};

// How long at a stretch a way into the kernel or back was taken to be.
struct LimitOfWays {
  double at_most_ns = kAroundAtMost_ns;
  bool is_calibrated = false;  // by this run; else it is assumed
  uint64_t ways = 0;           // of this run, which tell
};
struct AroundLimit {
  LimitOfWays of_interrupt{}, of_switch{};  // the latter begins or ends with a task switch
};

struct WatchResult {
  std::vector<std::vector<AccountedGap>> cpus{};  // in the order of the plan; of each the largest gaps, largest first
  std::vector<core::CpuInterference> interference{};  // of those whose meter began
  uint64_t start_monotonic_ns = 0;                    // from which the times of late wake-ups count
  uint64_t events = 0, lost = 0;                      // read; and overwritten before they were
  uint64_t lost_elsewhere = 0;                        // of what other CPUs did to these
  uint64_t declined = 0;                              // gaps that ended on another CPU than the thread's
  AroundLimit around{};
  core::MachineChange machine{};  // counted from start() to finish()
  std::string damage{};           // why the watch ended before the run; "" when it did not
};

class KernelWatch {
 public:
  // REQUIRES: of a loop, which never sleeps: the caller's own affinity holds none of its CPUs. ERRORS: the kernel's
  // events cannot be had here (Exit::cannot_run, one line that says why).
  static core::Result<std::unique_ptr<KernelWatch>> start(const WatchPlan& plan);
  virtual ~KernelWatch() = default;

  virtual const char* backend() const = 0;  // that records
  // Of kAnyBackend: why our module, though it is loaded, is not that; "" else.
  virtual const std::string& passed_over() const = 0;
  // Of what other CPUs do: what is not recorded, and why; "" when all is.
  virtual const std::string& not_told() const = 0;
  virtual core::AskedGaps& gaps_of(unsigned cpu) = 0;
  // Once, when the loops have ended: all that was asked for is accounted for.
  virtual WatchResult finish() = 0;
};

}  // namespace maxlat::attribution
