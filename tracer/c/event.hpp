// SPDX-License-Identifier: MIT
//
// An event that C declared, as the C++ Event that it is: maxlat_trace_event has its size, and begins with its first word.
#pragma once

#include <maxlat/trace.h>

#include <cstddef>
#include <maxlat/trace/event.hpp>

namespace maxlat::trace::detail {

inline constexpr std::size_t kMaxFields = 32;  // as MAXLAT_TRACE_EVENT

// The Event comes to life in zeroed memory, where a probe may be looking at `wanted` already.
struct CEvent {
  Event event;
  bool contradicted;  // declared twice, and differently
};
static_assert(sizeof(CEvent) == sizeof(maxlat_trace_event) && alignof(CEvent) == alignof(maxlat_trace_event));
static_assert(offsetof(CEvent, event.wanted) == offsetof(maxlat_trace_event, wanted));

inline CEvent& c_event_of(maxlat_trace_event& declared) {
  return reinterpret_cast<CEvent&>(declared);
}
inline Event& event_of(maxlat_trace_event& declared) {
  return c_event_of(declared).event;
}

}  // namespace maxlat::trace::detail
