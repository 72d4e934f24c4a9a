// SPDX-License-Identifier: MIT
//
// The kernel has two events of system calls, raw_syscalls:sys_enter and sys_exit, with the call's number. In a trace
// each call has its own, as LTTng's kernel tracer writes them: syscall_entry_openat, syscall_exit_openat. By the
// beginning of these names Trace Compass knows that a thread is in a system call, and by the rest in which.
//
// LIMITS   The number does not tell whether a program of 32 bits called, whose numbers are others: its calls get the
//          name that a program of 64 bits has for the number.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <maxlat/trace/description.hpp>
#include <string>

namespace maxlat::trace_tools {

// As this machine's header has it, <asm/unistd.h>; "unknown" if it has none of that number.
std::string system_call_name(std::int64_t number);

class SystemCallEvents {
 public:
  using AddEvent = std::function<std::uint32_t(const trace::EventDescription&)>;

  // The event of this call: `any` with the call's name behind its own. Made by `add` when its number is met first.
  std::uint32_t of(std::int64_t number, const trace::EventDescription& any, const AddEvent& add);

 private:
  std::map<std::int64_t, std::uint32_t> ids_;
};

}  // namespace maxlat::trace_tools
