// SPDX-License-Identifier: MIT
//
// Where the fields of one of the kernel's events stand in its record, as this kernel says in events/SYSTEM/NAME/format.
// libtraceevent reads that text; nothing else here knows it.
//
//   record   u16 id | u8 flags | u8 preempt count | i32 thread | the event's own fields, each at its offset ...
//
// A text or an array of a length that is not fixed stands somewhere in the record; its field is then a word that says
// where: length << 16 | offset.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::attribution {

struct FormatField {
  enum class Kind : uint8_t { integer, text, array };

  std::string name{};
  Kind kind = Kind::integer;
  bool is_signed = false;
  bool is_address = false;
  bool is_elsewhere = false;
  bool from_behind = false;       // is_elsewhere: the offset counts from behind the word
  uint8_t element = 1;            // bytes of one element of an array, 1, 2, 4 or 8
  uint16_t offset = 0, size = 0;  // of the field, or of the word that says where it is

  // Its bytes in a record. Nothing: the record is too short for them.
  std::optional<std::span<const std::byte>> in(std::span<const std::byte> record) const;
};

struct EventFormat {
  uint16_t id = 0;
  std::string name{};                 // "sched/sched_switch"
  std::vector<FormatField> fields{};  // those of every event first

  // Null: there is none of that name.
  const FormatField* field(std::string_view name) const;
};

// Of every event: its number, and the thread that it was recorded in.
inline constexpr const char* kThreadField = "common_pid";
inline bool is_of_every_event(const FormatField& field) {
  return field.name.starts_with("common_");
}

// `events` is the folder events/ of a trace instance. Nothing: this kernel lacks the event. ERRORS: a text that is no
// format.
core::Result<std::optional<EventFormat>> read_event_format(const std::string& events, const std::string& name);

// "sched/sched_switch", sorted: all of this kernel whose system and name match one of the patterns "SYSTEM:NAME", with
// * and ?.
std::vector<std::string> matching_events(const std::string& events, std::span<const std::string> patterns);

// An integer of up to 8 bytes, little-endian, not extended by its sign; 0 of none.
inline uint64_t word_of(std::span<const std::byte> bytes) {
  uint64_t word = 0;
  if (!bytes.empty()) std::memcpy(&word, bytes.data(), std::min(bytes.size(), sizeof word));
  return word;
}

}  // namespace maxlat::attribution
