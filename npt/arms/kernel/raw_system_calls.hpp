// SPDX-License-Identifier: MIT
//
// The events raw_syscalls:sys_enter and sys_exit as tracefs and perf both record them: the kernel's own record, whose
// fields stand where events/raw_syscalls/.../format says (PREEMPT_RT has had other places for them).
#pragma once

#include <cstddef>
#include <cstdint>
#include <maxlat/attribution/event_format.hpp>
#include <maxlat/core/sys/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "call_count.hpp"

namespace maxlat::npt {

class RawSystemCalls {
 public:
  // `events` is the folder events/ of tracefs or of an instance. ERRORS: this kernel traces no system calls, or its
  // records are not as they are known (Exit::cannot_run).
  static core::Result<RawSystemCalls> of(const std::string& events);
  // One record, of any event.
  void take(unsigned cpu, std::span<const std::byte> record, CallCount& calls) const;

 private:
  struct Event {
    uint16_t id = 0;
    attribution::FormatField call, second;  // the system call's number; its arguments, or what it returned
  };
  static core::Result<Event> event_of(const std::string& events, const std::string& name, std::string_view second);

  Event enter_, exit_;
};

// "SYSTEM/NAME" of each event that one of the patterns matches. ERRORS: one that matches none (Exit::cannot_run).
core::Result<std::vector<std::string>> events_of_tracefs(const std::string& events,
                                                         const std::vector<std::string>& patterns);

}  // namespace maxlat::npt
