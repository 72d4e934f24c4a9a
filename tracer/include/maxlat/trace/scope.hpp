// SPDX-License-Identifier: MIT
//
// A span: an event where a block is entered, and one where it is left, whichever way.
//
//   MAXLAT_TRACE_SPAN(motor, homing, (std::uint32_t, axis))    declares motor:homing_begin (axis) and motor:homing_end
//
//   void home(std::uint32_t axis) {
//     MAXLAT_TRACE_SCOPE(motor, homing, axis);
//
// Two events as any other (probe.hpp): each costs what an event costs, and disabled two instructions. A reader pairs
// them by thread and order. A span that was entered before its events were enabled has an end without a begin.
#pragma once

#include <maxlat/trace/event.hpp>
#include <maxlat/trace/probe.hpp>

#define MAXLAT_TRACE_SPAN(provider, name, ...)                                                \
  MAXLAT_TRACE_EVENT(provider, name##_begin __VA_OPT__(, ) __VA_ARGS__)                       \
  MAXLAT_TRACE_EVENT(provider, name##_end)                                                    \
  struct [[gnu::visibility("hidden")]] MaxlatTraceSpan_##provider##_##name {                  \
    MaxlatTraceSpan_##provider##_##name() = default;                                          \
    MaxlatTraceSpan_##provider##_##name(const MaxlatTraceSpan_##provider##_##name&) = delete; \
    [[gnu::always_inline]] ~MaxlatTraceSpan_##provider##_##name() {                           \
      MAXLAT_TRACE(provider, name##_end);                                                     \
    }                                                                                         \
  };

#define MAXLAT_TRACE_SCOPE(provider, name, ...)                    \
  MAXLAT_TRACE(provider, name##_begin __VA_OPT__(, ) __VA_ARGS__); \
  const MaxlatTraceSpan_##provider##_##name MAXLAT_TRACE_SCOPE_NAME(__LINE__)
#define MAXLAT_TRACE_SCOPE_NAME(line) MAXLAT_TRACE_SCOPE_NAME_(line)
#define MAXLAT_TRACE_SCOPE_NAME_(line) maxlat_trace_scope_##line
