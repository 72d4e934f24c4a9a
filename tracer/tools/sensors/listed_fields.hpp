// SPDX-License-Identifier: MIT
//
// What of an event's payload is its fields: they may be shorter than the slot in which a list keeps it.
#pragma once

#include <cstdint>
#include <maxlat/sensors/event_reader.hpp>
#include <maxlat/trace/field_values.hpp>
#include <optional>
#include <span>

namespace maxlat::trace_tools {

// Nothing: it is of no type that the list has, or they are not all there.
inline std::optional<std::span<const std::uint8_t>> fields_of(const sensors::ListedEvent& event) {
  if (event.type == nullptr) return std::nullopt;
  trace::FieldValues values(event.type->fields, event.payload);
  for (trace::FieldValue value; values.next(value);) {
  }
  if (values.broken()) return std::nullopt;
  return event.payload.first(event.payload.size() - values.left());
}

}  // namespace maxlat::trace_tools
