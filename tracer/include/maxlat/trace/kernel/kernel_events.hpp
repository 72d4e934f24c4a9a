// SPDX-License-Identifier: MIT
//
// The kernel's events as user space sees them: names, and where the fields lie in a record. Made of the same table as
// the module's probes (kernel_events.h).
#pragma once

#include <maxlat/trace/kernel/kernel_events.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::trace {

enum class KernelFieldKind : std::uint8_t {
  number,    // signed, of 1, 2, 4 or 8 bytes
  cardinal,  // unsigned, the same
  address,   // 64 bits, best shown in base 16
  text       // up to the first zero byte, or all of it
};

struct KernelField {
  std::string_view name;
  KernelFieldKind kind = KernelFieldKind::number;
  std::uint16_t offset = 0;
  std::uint16_t bytes = 0;
};

struct KernelEventType {
  std::uint32_t id = 0;
  std::string_view group;  // as tracefs has it: "sched"
  std::string_view name;   // "sched_switch"
  std::uint16_t bytes = 0;
  std::span<const KernelField> fields;

  // Where it stands in a mask of events. REQUIRES: it is of kernel_event_types().
  std::uint64_t bit() const { return std::uint64_t{1} << (id - 1); }
};

// All that there are, in the order of their ids. Lives as long as the program.
std::span<const KernelEventType> kernel_event_types();

// The bits of the events whose "group:name" matches, with * and ?.
std::uint64_t kernel_events_matching(std::string_view pattern);
// "group:name" of each bit.
std::vector<std::string> kernel_event_names(std::uint64_t events);

// One event. What it points to stands until the function that it was handed to returns.
struct KernelRecord {
  std::uint64_t tick = 0;
  std::uint32_t cpu = 0;
  const KernelEventType* type = nullptr;
  const std::uint8_t* payload = nullptr;
  std::uint64_t lost_before = 0;  // events of its CPU, since the record before it

  // REQUIRES: the event has this record (kernel_events.h).
  template <typename Record>
  Record as() const {
    Record record;
    std::memcpy(&record, payload, sizeof record);
    return record;
  }
  // REQUIRES, both: a field of this event, of that kind; number(): any but a text.
  std::int64_t number(const KernelField& field) const;
  std::string_view text(const KernelField& field) const;
};

}  // namespace maxlat::trace
