// SPDX-License-Identifier: MIT
//
// One of the kernel's events, from the record of its trace buffer to that of a trace (trace/description.hpp): every
// field that this kernel's format tells, integers, texts and arrays of integers, under LTTng's names.
#pragma once

#include <cstdint>
#include <maxlat/attribution/event_format.hpp>
#include <maxlat/trace/description.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

class KernelConversion {
 public:
  explicit KernelConversion(const attribution::EventFormat& format);
  KernelConversion(KernelConversion&&) = default;
  KernelConversion& operator=(KernelConversion&&) = default;

  // "sched_switch". Another of this name is there already: rename().
  const std::string& name() const { return name_; }
  void rename(std::string name) { name_ = std::move(name); }
  // Points into this, as long as nobody moves it.
  trace::EventDescription description() const;

  // Adds context (the thread) and fields of the record to `payload`. RETURNS: false, with nothing added: the record is
  // shorter than its format.
  bool convert(std::span<const std::byte> record, std::vector<std::uint8_t>& payload) const;
  // The address of the function that the event is about, of timers and work items; nothing where it has none.
  std::optional<std::uint64_t> function(std::span<const std::byte> record) const;
  // Likewise the address that it is from, of interrupts that are sent to other CPUs.
  std::optional<std::uint64_t> caller(std::span<const std::byte> record) const;
  // It is raw_syscalls:sys_enter or sys_exit, and name() the beginning of the names of its calls (system_calls.hpp).
  bool is_of_system_calls() const { return call_.has_value(); }
  // The number of the system call; 0 of another event. REQUIRES: convert() took the record.
  std::int64_t system_call(std::span<const std::byte> record) const;

 private:
  bool add(const attribution::FormatField& field, std::span<const std::byte> record,
           std::vector<std::uint8_t>& payload) const;

  std::string name_;
  std::vector<attribution::FormatField> from_;
  std::vector<std::string> names_;  // of to_
  std::vector<trace::Field> to_;
  std::optional<attribution::FormatField> thread_, function_, caller_, call_;
};

}  // namespace maxlat::trace_tools
