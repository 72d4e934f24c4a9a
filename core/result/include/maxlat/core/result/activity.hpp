// SPDX-License-Identifier: MIT
//
// What else ran on a CPU in some time: what interrupted whatever had it. Counted by the kernel in any case
// (maxlat/core/machine/cpu_activity.hpp), and, where its events could be had, named with who caused it (shield audit).
//
// An interruption is an interrupt, or a switch to a task other than the idle one. Softirqs, work items, timer functions
// and page faults are what was done in them, and are not counted again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::core {

struct Interruption {
  enum class Kind {
    device,    // interrupt of a device
    timer,     // of the CPU's own timer: ticks and high-resolution timers
    sent,      // by a CPU: reschedule, function call, TLB, irq_work
    other,     // NMI, machine check, thermal, ...
    softirq,   // a kind of softirq, how often it ran
    task,      // a switch to it
    work,      // a work item that a kernel worker executed
    function,  // of a timer
    fault,     // page fault
  };
  Kind kind = Kind::other;
  std::string name{};  // "24", "LOC", "TIMER", "ksoftirqd/1"
  std::string what{};  // "virtio0-input.0", "real-time 50"
  std::string by{};    // "idle on CPU 0"; empty: not known
  uint64_t count = 0;

  bool operator==(const Interruption&) const = default;
};
const char* to_string(Interruption::Kind kind);   // as in the file
const char* shown_word(Interruption::Kind kind);  // for people: "sent by a CPU"

struct CpuActivity {
  unsigned cpu = 0;
  std::optional<uint64_t> switches{};   // to tasks other than the idle one; absent: this kernel does not count them
  std::vector<Interruption> counted{};  // from /proc, by the kernel's own order of lines; only what happened
  std::vector<Interruption> named{};    // from events, most frequent first; empty: none, or no events

  uint64_t count(Interruption::Kind kind) const;  // of `counted`
  // Interrupts of all kinds and, where they are counted, switches.
  uint64_t interruptions() const;
};

}  // namespace maxlat::core
