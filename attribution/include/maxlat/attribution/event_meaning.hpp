// SPDX-License-Identifier: MIT
//
// Which of the kernel's events the accounting takes, and what each is to it: one table for whoever reads them from the
// kernel or from a trace.
#pragma once

#include <maxlat/attribution/kernel_event.hpp>
#include <string>
#include <vector>

namespace maxlat::attribution {

// The names of the fields that a KernelEvent has from it, as tracefs has them; null: none.
struct EventMeaning {
  std::string name;  // "sched/sched_switch"
  EventKind kind = EventKind::hole;
  const char* number = nullptr;
  const char* value = nullptr;
  const char* priority = nullptr;
  const char* text = nullptr;
  VectorUse use = VectorUse::other;  // the number, where no field has it
};

// The first is the task switch, without which nothing can be told.
const std::vector<EventMeaning>& event_meanings();

}  // namespace maxlat::attribution
