// SPDX-License-Identifier: MIT
//
// What ran on a CPU between two looks, counted by the kernel all the while: nothing is switched on, and looking leaves
// no trace on the CPU that is looked at.
//
//   interrupts  /proc/interrupts, by line: devices with their handlers' names, the local timer, what other CPUs sent
//   softirqs    /proc/softirqs, by kind. They run when an interrupt ends, or in ksoftirqd
//   switches    /proc/schedstat, the eighth figure of a CPU: tasks, other than the idle one, that it began to run (a
//               loop that has the CPU alone makes none)
//
// Sources: the kernel's Documentation/filesystems/proc.rst and Documentation/scheduler/sched-stats.rst.
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/core/machine/settings.hpp>
#include <optional>
#include <string>

namespace maxlat::core {

// Of whom an interrupt is.
enum class InterruptKind {
  device,  // a line with a number
  timer,   // the CPU's own timer: ticks and high-resolution timers
  sent,    // by a CPU: reschedule, function call, TLB, irq_work
  other,   // NMI, machine check, thermal, …
};

struct InterruptLine {
  InterruptKind kind = InterruptKind::other;
  std::string what;  // "virtio0-input.0", "Local timer interrupts"; the chip's name where no handler is
  uint64_t count = 0;
};

struct CpuActivity {
  std::map<std::string, InterruptLine> interrupts;  // by the line's own name: "24", "LOC"
  std::map<std::string, uint64_t> softirqs;         // "TIMER"
  std::optional<uint64_t> switches;                 // nothing: this kernel does not count them
};

using Activity = std::map<unsigned, CpuActivity>;  // by CPU number

// So far, since boot, of every CPU that is online. Empty: /proc/interrupts cannot be read.
Activity activity_of(const MachineView& machine);
// What came between the two. A CPU that was offline at either has none; a line that is new, or that began anew (its CPU was
// offline meanwhile), counts from 0. What did not happen is left out.
Activity between(const Activity& before, const Activity& after);

// Sum of the lines of that kind.
uint64_t interrupts_of(const CpuActivity& cpu, InterruptKind kind);

}  // namespace maxlat::core
