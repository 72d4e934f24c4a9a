// SPDX-License-Identifier: MIT
//
// How long a measuring loop could have run and did not, because other tasks had its CPU.
//
// A loop sees a gap and not its reason: a SCHED_FIFO program beside it looks like a stall of the machine. The kernel
// counts, for each thread, the time that it spent on a run queue without running (proc(5),
// /proc/PID/task/TID/schedstat, second field). What the loop loses in that way is said, and from kTooMuch on its
// figures are those of the other tasks: the run is not valid. A hypervisor or the firmware that takes the CPU does not
// count: no task waits then.
//
// The file is opened before a loop starts and read around it, since a descriptor that is closed leaves the kernel work
// to do later (RCU), on the CPU that is measured.
#pragma once

#include <cstdint>
#include <maxlat/base/owned.hpp>
#include <optional>
#include <string>

namespace maxlat::core {

class RunQueueWait {
 public:
  // Of the calling thread. `path` is another file in tests.
  explicit RunQueueWait(const char* path = "/proc/thread-self/schedstat");

  // Nanoseconds since the thread began; 0 where the kernel does not count (no CONFIG_SCHED_INFO). One system call, no
  // allocation.
  uint64_t ns() const;

 private:
  base::Descriptor file_;
};

// What other tasks took from the loop on `cpu`.
struct TakenTime {
  unsigned cpu = 0;
  uint64_t ns = 0;
  double of_s = 0;  // the loop's time, rests included
};

// The share from which on a run is not valid; and what is worth a word at all: that share and that time.
inline constexpr double kTooMuch = 0.05, kWorthAWarning = 0.001;
inline constexpr uint64_t kWorthAWarning_ns = 1'000'000;

struct TakenTimeVerdict {
  bool too_much = false;
  // "other tasks had CPU 1 for 1.2 s of 5 s while the loop wanted it (24 %)", and who is there now if that shows
  std::string text;
};
// Nothing where the loop lost next to nothing. `proc` is another folder in tests.
std::optional<TakenTimeVerdict> judge(const TakenTime& taken, const std::string& proc = "/proc");

}  // namespace maxlat::core
