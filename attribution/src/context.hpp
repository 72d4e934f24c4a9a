// SPDX-License-Identifier: MIT
//
// A context is what a CPU is in from an entry to its exit: an interrupt, a softirq, a timer's function, a work item, or
// a task from the switch to it on. What it is called, and which exit is whose.
#pragma once

#include <cstdint>
#include <maxlat/attribution/accounting.hpp>
#include <maxlat/attribution/kernel_event.hpp>
#include <string>

namespace maxlat::attribution {

// Of the event that opens it, of an NMI, of a page fault, of a hole: class, name, function, and whether it was seen.
Part part_of(const KernelEvent& event);

// "CPU 0, task sh (tid 7)": where a thread did what this CPU sees the end of.
std::string of_other_cpu(uint64_t cpu, const KernelEvent& event);

// Of an exit: its entry.
inline EventKind entry_of(EventKind exit) {
  return static_cast<EventKind>(static_cast<uint8_t>(exit) - 1);
}

inline bool is_exit(EventKind kind) {
  return kind == EventKind::vector_exit || kind == EventKind::irq_exit || kind == EventKind::softirq_exit ||
         kind == EventKind::hrtimer_exit || kind == EventKind::timer_exit || kind == EventKind::work_end;
}

inline bool has_a_number(EventKind entry) {
  return entry == EventKind::vector_entry || entry == EventKind::irq_entry || entry == EventKind::softirq_entry;
}

// Whether the exit is that of a context which an event of this kind and number has opened.
inline bool ends(const KernelEvent& exit, EventKind entry, int32_t number) {
  return entry == entry_of(exit.kind) && (!has_a_number(entry) || number == exit.number);
}

}  // namespace maxlat::attribution
