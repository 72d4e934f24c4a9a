// SPDX-License-Identifier: MIT
//
// From a record of maxlat_trace.ko to a KernelEvent: what is meant (event_meaning.hpp), by the names of the module's
// fields, which are LTTng's (lttng_names.hpp).
#pragma once

#include <cstdint>
#include <maxlat/attribution/event_meaning.hpp>
#include <maxlat/attribution/kernel_event.hpp>
#include <maxlat/trace/kernel/kernel_events.hpp>
#include <optional>
#include <vector>

namespace maxlat::attribution {

class ModuleEvents {
 public:
  ModuleEvents();

  // The module's events that the accounting takes, a bit each.
  static uint64_t wanted();

  // A task switch was recorded in the thread that leaves; in which thread anything else was, nobody tells
  // (KernelEvent::running is -1). Nothing: it is none of the wanted.
  std::optional<KernelEvent> decode(const trace::KernelRecord& record) const;

 private:
  struct Layout {
    const EventMeaning* meaning = nullptr;  // null: not wanted
    const trace::KernelField *number = nullptr, *value = nullptr, *priority = nullptr, *text = nullptr;
  };
  std::vector<Layout> by_id_;
};

}  // namespace maxlat::attribution
