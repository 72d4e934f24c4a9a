// SPDX-License-Identifier: MIT
//
// From the bytes of a record of the kernel's trace buffer to a KernelEvent: what is meant (event_meaning.hpp), and
// where it stands (event_format.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <maxlat/attribution/event_format.hpp>
#include <maxlat/attribution/event_meaning.hpp>
#include <maxlat/attribution/kernel_event.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace maxlat::attribution {

class EventFormats {
 public:
  // `events` is the folder events/ of a trace instance; `timers_set`: EventKind::timer_set, too. An event that this
  // kernel lacks is left out. ERRORS: a format that is not as the table has it; no sched_switch, without which nothing
  // can be told.
  static core::Result<EventFormats> read(const std::string& events, bool timers_set = false);

  // "sched/sched_switch": those that are there, in the table's order.
  const std::vector<std::string>& names() const { return names_; }

  // Nothing: it is of no event of the table, or shorter than its format.
  std::optional<KernelEvent> decode(uint64_t tick, std::span<const std::byte> record) const;

 private:
  struct Layout {
    const EventMeaning* meaning = nullptr;  // null: no event of the table
    std::optional<FormatField> number{}, value{}, priority{}, text{}, running{};
  };
  core::Status add(const std::string& events, const EventMeaning& meaning);

  std::vector<Layout> by_number_;
  std::vector<std::string> names_;
};

}  // namespace maxlat::attribution
