// SPDX-License-Identifier: MIT
//
// From the bytes of a record of the kernel's trace buffer to a KernelEvent. What a record's number means, and where its
// fields are, this kernel says in events/SYSTEM/NAME/format; libtraceevent reads that text. What the events are for is
// one table, in event_formats.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <maxlat/attribution/kernel_event.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

struct tep_handle;

namespace maxlat::attribution {

class EventFormats {
 public:
  // `events` is the folder events/ of a trace instance. An event that this kernel lacks is left out. ERRORS: a format
  // that is not as the table has it; no sched_switch, without which nothing can be told.
  static core::Result<EventFormats> read(const std::string& events);

  // "sched/sched_switch": those that are there, in the table's order.
  const std::vector<std::string>& names() const { return names_; }

  // Nothing: it is of no event of the table, or shorter than its format.
  std::optional<KernelEvent> decode(uint64_t tick, std::span<const std::byte> record) const;

 private:
  struct Place {
    uint16_t offset = 0, size = 0;  // size 0: the event has no such field
  };
  struct Layout {
    EventKind kind = EventKind::hole;  // no event of the table
    bool text_is_elsewhere = false;    // the field is where the text stands: length << 16 | offset
    int32_t fixed_number = 0;
    Place number{}, value{}, priority{}, text{}, running{};
  };
  struct Row;
  core::Status add(const std::string& events, const Row& row, tep_handle* parser);

  std::vector<Layout> by_number_;
  std::vector<std::string> names_;
};

}  // namespace maxlat::attribution
