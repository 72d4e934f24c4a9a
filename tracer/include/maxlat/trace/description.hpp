// SPDX-License-Identifier: MIT
//
// What an event looks like, as data: the one description from which the probe's layout is computed at compile time, the
// CTF metadata is written, and `maxlat trace list` prints.
//
// PAYLOAD LAYOUT, the contract of probe, metadata and reader. Fields follow one another in declared order,
// byte-aligned, little-endian, with no padding between them:
//
//   integer, floating   its bytes
//   array               `count` elements
//   sequence            u16 number of elements (at most `count`), then the elements
//   string              its bytes (at most `count`, cut there; never a zero among them), then one zero byte
//
// The record is the record word (ring/record.h), the payload, and zero to seven bytes of padding to a multiple of 8.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace maxlat::trace {

enum class FieldKind : std::uint8_t { integer, floating, array, sequence, string };

struct Field {
  std::string_view name;
  FieldKind kind = FieldKind::integer;
  std::uint8_t bytes = 0;   // of one element: 1, 2, 4, 8
  bool is_signed = false;   // of an integer element
  bool is_float = false;    // element of an array or sequence is floating
  std::uint16_t count = 0;  // elements of an array; cap of a sequence or string
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
