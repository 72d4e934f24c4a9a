// SPDX-License-Identifier: MIT
//
// The description of an event, as data. From it the probe's layout is computed at compile time and the CTF metadata is
// written; `maxlat trace list` prints it.
//
// PAYLOAD LAYOUT, the contract of probe, metadata and reader. Fields follow one another in declared order,
// byte-aligned, little-endian, with no padding between them:
//
//   integer, floating   its bytes
//   enumeration         the bytes of the integer that it is
//   array               `count` elements
//   sequence            u16 number of elements (at most `count`), then the elements
//   string              its bytes (at most `count`, cut there; never a zero among them), then one zero byte
//
// The record is the record word (ring/record.h), the payload, and zero to seven bytes of padding to a multiple of 8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace maxlat::trace {

enum class FieldKind : std::uint8_t { integer, floating, array, sequence, string, enumeration };

// A name for a value of an enumeration. Values need not have one, and may have several.
struct Label {
  std::string_view name;
  std::uint64_t value = 0;  // of a signed enumeration the bits of an int64_t
};

// Of one enumeration. Bounds what a reader takes from metadata, and what a declaration may ask of the compiler.
inline constexpr std::size_t kMaxLabels = 1024;

struct Field {
  std::string_view name;
  FieldKind kind = FieldKind::integer;
  std::uint8_t bytes = 0;              // of one element: 1, 2, 4, 8
  bool is_signed = false;              // of an integer element, or of an enumeration
  bool is_float = false;               // element of an array or sequence is floating
  std::uint16_t count = 0;             // elements of an array; cap of a sequence or string
  bool is_hex = false;                 // integer elements are shown in base 16
  std::span<const Label> labels = {};  // of an enumeration: 1 to kMaxLabels
};

// As syslog has them; a session may ask for events up to a level.
enum class Level : std::uint8_t { emergency, alert, critical, error, warning, notice, info, debug };
inline constexpr std::array<std::string_view, 8> kLevelNames = {"emergency", "alert",  "critical", "error",
                                                                "warning",   "notice", "info",     "debug"};

struct EventDescription {
  std::string_view provider;
  std::string_view name;
  Level level = Level::info;
  std::span<const Field> fields;
};

}  // namespace maxlat::trace
