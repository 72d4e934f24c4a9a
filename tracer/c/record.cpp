// SPDX-License-Identifier: MIT
// What a probe of C calls: the fields, from where they lie, into every ring that wants the event.
#include <maxlat/trace.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <maxlat/trace/channel_record.hpp>
#include <maxlat/trace/text_store.hpp>

#include "c/event.hpp"

namespace maxlat::trace::detail {
namespace {

// How many elements of a sequence, or bytes of a text, each field has: looked at once, because another thread may be
// changing the text.
using Lengths = std::array<std::uint16_t, kMaxFields>;

std::size_t measure(std::span<const Field> fields, const maxlat_trace_value* values, Lengths& lengths) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Field& field = fields[i];
    const maxlat_trace_value& value = values[i];
    if (field.kind == FieldKind::string) {
      const auto* text = static_cast<const char*>(value.from);
      lengths[i] = static_cast<std::uint16_t>(text == nullptr ? 0 : strnlen(text, field.count));
      size += lengths[i] + std::size_t{1};
    } else if (field.kind == FieldKind::sequence) {
      lengths[i] =
          static_cast<std::uint16_t>(value.from == nullptr ? 0 : std::min<std::size_t>(value.count, field.count));
      size += sizeof(std::uint16_t) + std::size_t{lengths[i]} * field.bytes;
    } else {
      size += field.bytes * (field.kind == FieldKind::array ? std::size_t{field.count} : 1);
    }
  }
  return size;
}

// Sizes as constants: such a copy is one move, and one of any size is a call.
std::uint8_t* store_number(std::uint8_t* to, const void* from, std::uint8_t bytes) {
  switch (bytes) {
    case 8:
      return store_bytes(to, from, 8);
    case 4:
      return store_bytes(to, from, 4);
    case 2:
      return store_bytes(to, from, 2);
    default:
      return store_bytes(to, from, 1);
  }
}

void store(std::uint8_t* to, std::span<const Field> fields, const maxlat_trace_value* values, const Lengths& lengths) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Field& field = fields[i];
    if (field.kind == FieldKind::string) {
      to = store_text(to, static_cast<const char*>(values[i].from), lengths[i]);
      *to++ = 0;
      continue;
    }
    if (field.kind != FieldKind::array && field.kind != FieldKind::sequence) {
      to = store_number(to, values[i].from, field.bytes);
      continue;
    }
    std::size_t elements = field.count;
    if (field.kind == FieldKind::sequence) {
      elements = lengths[i];
      to = store_bytes(to, &lengths[i], sizeof(lengths[i]));
    }
    to = store_bytes(to, static_cast<const std::uint8_t*>(values[i].from), elements * field.bytes);
  }
}

}  // namespace

}  // namespace maxlat::trace::detail

void maxlat_trace_record(maxlat_trace_event* declared, const maxlat_trace_value* values) {
  using namespace maxlat::trace::detail;
  const maxlat::trace::Event& event = event_of(*declared);
  ThreadState& thread = thread_state;
  enter(thread);
  if (MAXLAT_LIKELY(thread.registered) || register_in_probe()) {
    // acquire [K3]: as in Probe::record_elsewhere, probe.hpp.
    std::uint32_t wanted = event.wanted.load(std::memory_order_acquire);
    if (wanted != 0) {
      Lengths lengths;
      const std::span<const maxlat::trace::Field> fields = event.description->fields;
      const std::size_t size = event.fixed_size != 0 ? event.fixed_size : measure(fields, values, lengths);
      for (; wanted != 0; wanted &= wanted - 1) {
        record_in_channel(static_cast<unsigned>(std::countr_zero(wanted)), event.id, size,
                          [&](std::uint8_t* to) { store(to, fields, values, lengths); });
      }
    }
  } else {
    lose(event.wanted);
  }
  leave(thread);
}
