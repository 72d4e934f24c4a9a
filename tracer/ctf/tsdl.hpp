// SPDX-License-Identifier: MIT
//
// The words of our TSDL, the text of CTF 1.8 metadata, that its writer (metadata.cpp) and its reader
// (metadata_reader.cpp) must agree on.
//
// NAMES. A field's name gets one underscore in front, always and not only where it is a keyword (`int`, `string`,
// `event` ...): readers take one off, so names that begin with an underscore survive too. Names of our own inside a
// payload have none, so readers show them as they are: one that a field of the event has, too, gets underscores behind
// it (own_name) until none has it. Our reader knows them by what they lack.
#pragma once

#include <maxlat/trace/ctf_format.hpp>
#include <maxlat/trace/description.hpp>
#include <string>
#include <string_view>

namespace maxlat::trace::tsdl {

inline constexpr std::string_view kSignature = "/* CTF 1.8 */";  // what CTF's readers look for at the beginning
inline constexpr std::string_view kWriter = "maxlat";  // env tracer_name, or of the kernel's events written_by
inline constexpr int kWriterVersion = 1;               // env tracer_major, or written_by_major
// What Trace Compass takes the kernel's events for (LttngKernelTrace): by tracer_name and version it chooses the names
// that it looks for. Ours are those of lttng-modules since 2.9; of any other tracer it expects those before 2.6.
inline constexpr std::string_view kKernelDomain = "kernel";
inline constexpr std::string_view kNamesOfKernel = "lttng-modules";
inline constexpr int kNamesOfKernelMajor = 2, kNamesOfKernelMinor = 13;
// env packet_format: of the layout of packets and records, and of the TSDL that describes them. Our own reader reads
// all of these; other readers need only the TSDL.
//   1  has no such entry; padding is an array of times
//   2  padding is an array of structures of a time
// A new type of field is no new format: the number stands before the first event, and a trace whose events have no such
// field stays readable by those who do not know it. Whoever meets a type that it does not know says what it would say
// of the number. Types that came later: hexadecimal integers, enumerations.
inline constexpr int kPacketFormat = 2;
inline constexpr std::string_view kClockName = "counter";
inline constexpr std::string_view kLengthSuffix =
    "_length";  // the number of elements of sequence _x is x_length, or x_length_
inline constexpr std::string_view kPaddingName = "padding";

// A type of the element of a field: "u32", "i8", "f64"; in base 16 "u32x", "i8x".
std::string type_name(const Field& field);

// A text as TSDL writes it, quotes included. What is no printable ASCII and no UTF-8 becomes \ooo.
std::string quoted(std::string_view text);

// Behind the structure of an event's context, which begins at a multiple of 8 bytes as the payload does.
inline constexpr std::string_view kContextAlign = " align(64)";
inline constexpr std::string_view kContextAlignOnce = "";  // until 25 November 2026: other readers saw a wrong CPU

// What describes the packets, event headers and event contexts of a channel.
std::string stream_block(std::uint32_t stream_id, StreamKind kind, std::string_view context_align = kContextAlign);

}  // namespace maxlat::trace::tsdl
