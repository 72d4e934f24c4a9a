// SPDX-License-Identifier: MIT
//
// An event that C declared, as the C++ Event that it is: maxlat_trace_event has its size, and begins with its first
// word.
#pragma once

#include <maxlat/trace.h>

#include <cstddef>
#include <maxlat/trace/event.hpp>

namespace maxlat::trace::detail {

inline constexpr std::size_t kMaxFields = 32;  // as MAXLAT_TRACE_EVENT

// The Event comes to life in zeroed memory, where a probe may be looking at `wanted` already.
static_assert(sizeof(Event) == sizeof(maxlat_trace_event) && alignof(Event) == alignof(maxlat_trace_event));
static_assert(offsetof(Event, wanted) == offsetof(maxlat_trace_event, wanted));

inline Event& event_of(maxlat_trace_event& declared) {
  return reinterpret_cast<Event&>(declared);
}

}  // namespace maxlat::trace::detail
