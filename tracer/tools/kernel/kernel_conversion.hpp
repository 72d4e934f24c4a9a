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

 private:
  bool add(const attribution::FormatField& field, std::span<const std::byte> record,
           std::vector<std::uint8_t>& payload) const;

  std::string name_;
  std::vector<attribution::FormatField> from_;
  std::vector<std::string> names_;  // of to_
  std::vector<trace::Field> to_;
  std::optional<attribution::FormatField> thread_, function_;
};

}  // namespace maxlat::trace_tools
