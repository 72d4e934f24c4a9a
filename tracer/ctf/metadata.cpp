// SPDX-License-Identifier: MIT
//
// The trace's own description of itself, as CTF 1.8 metadata.
//
// THE EVENT HEADER is the record word (ring/record.h), which has two members that CTF has no word for: length and
// stamp. babeltrace2 warns of each member of a header that it does not know. So they are not members: the payload is
// aligned to 64 bits, which it is in either form of record, and the alignment steps over them. The length of a long
// record cannot be stepped over so, because the id behind it stands at an odd word; it is declared as an id that is
// read first, and replaced by the true one behind it. Likewise the long form's time replaces the low bits in its record
// word.
//
// THE END of a record is padded to 64 bits, and a reader that has read the last field must find either the next header
// or the end of the content. An array of no elements, each aligned to 64 bits, as the last field moves it there. The
// elements are declared as structures of a time, which readers do not show: events look as they were declared. (Times
// alone, as packet format 1 had them, end babeltrace2 2.1 with a segmentation fault.)
//
// Both were tried on babeltrace2 2.0.4; tests/tracer holds it to them.
#include <maxlat/ring/record.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <maxlat/trace/ctf_format.hpp>

#include "frequency.hpp"
#include "tsdl.hpp"

namespace maxlat::trace {
namespace {

constexpr std::uint32_t kPacketMagic = 0xC1FC1FC1;

template <typename Number>
std::string text(Number number) {
  return std::to_string(number);
}

std::string text(const Uuid& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += kDigits[uuid[i] >> 4];
    out += kDigits[uuid[i] & 15];
  }
  return out;
}

std::string hostname() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

// typealias integer { size = 32; align = 8; signed = false; EXTRA} := u32;
std::string integer_type(std::string_view name, unsigned bits, unsigned align, bool is_signed,
                         std::string_view extra = "") {
  return "typealias integer { size = " + text(bits) + "; align = " + text(align) +
         "; signed = " + (is_signed ? "true" : "false") + "; " + std::string(extra) + "} := " + std::string(name) +
         ";\n";
}

std::string types() {
  std::string out;
  for (const unsigned bits : {8u, 16u, 32u, 64u}) {
    out += integer_type("u" + text(bits), bits, 8, false);
    out += integer_type("i" + text(bits), bits, 8, true);
    out += integer_type("u" + text(bits) + "x", bits, 8, false, "base = 16; ");
    out += integer_type("i" + text(bits) + "x", bits, 8, true, "base = 16; ");
  }
  out += "typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := f32;\n";
  out += "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := f64;\n";
  out += "typealias string { encoding = UTF8; } := text;\n";
  return out;
}

std::string time_types() {
  const std::string map = "map = clock." + std::string(tsdl::kClockName) + ".value; ";
  return integer_type("time_low", MAXLAT_RING_TIME_BITS, 1, false, map) + integer_type("time_full", 64, 8, false, map) +
         integer_type("time_aligned", 64, 64, false, map) + "typealias struct { time_aligned time; } := aligned;\n";
}

std::string clock_block(const Uuid& uuid, const TraceClock& clock) {
  const std::uint64_t frequency = frequency_hz(clock.counter);
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t seconds = clock.realtime_offset_ns / kSecond;
  std::int64_t rest_ns = clock.realtime_offset_ns % kSecond;
  if (rest_ns < 0) {
    rest_ns += kSecond;
    --seconds;
  }
  char error[32];
  std::snprintf(error, sizeof error, "%.3g", clock.counter.error_ppm);
  const std::string about = std::string("time-stamp counter; rate: ") + base::to_string(clock.counter.source) +
                            ", error " + error + " ppm; " + clock.counter.why;
  return "clock {\n  name = " + std::string(tsdl::kClockName) + ";\n  uuid = \"" + text(uuid) +
         "\";\n  description = " + tsdl::quoted(about) + ";\n  freq = " + text(frequency) +
         ";\n  offset_s = " + text(seconds) +
         ";\n  offset = " + text(ns_to_ticks(static_cast<std::uint64_t>(rest_ns), frequency)) +
         ";\n  absolute = true;\n};\n";
}

std::string environment_block(const TraceEnvironment& environment, const TraceClock& clock) {
  const auto line = [](std::string_view name, const std::string& value) {
    return "  " + std::string(name) + " = " + value + ";\n";
  };
  std::string writer =
      line("tracer_name", tsdl::quoted(tsdl::kWriter)) + line("tracer_major", text(tsdl::kWriterVersion));
  if (environment.domain == tsdl::kKernelDomain)
    writer = line("tracer_name", tsdl::quoted(tsdl::kNamesOfKernel)) +
             line("tracer_major", text(tsdl::kNamesOfKernelMajor)) +
             line("tracer_minor", text(tsdl::kNamesOfKernelMinor)) + line("tracer_patchlevel", "0") +
             line("written_by", tsdl::quoted(tsdl::kWriter)) + line("written_by_major", text(tsdl::kWriterVersion));
  return "env {\n" + line("hostname", tsdl::quoted(hostname())) + line("procname", tsdl::quoted(environment.process)) +
         line("vpid", text(environment.pid)) +
         (environment.domain.empty() ? "" : line("domain", tsdl::quoted(environment.domain))) + writer +
         line("packet_format", text(tsdl::kPacketFormat)) + line("session", tsdl::quoted(environment.session)) +
         line("clock_source", tsdl::quoted(base::to_string(clock.counter.source))) +
         line("clock_trusted", text(clock.counter.trusted ? 1 : 0)) +
         line("monotonic_offset_ns", text(clock.monotonic_offset_ns)) + "};\n";
}

// enum : u8 { "idle" = 0, "running" = 1 }   Without labels, which TSDL has no such thing for: the integer.
std::string enumeration_type(const Field& field) {
  if (field.labels.empty()) return tsdl::type_name(field);
  std::string out = "enum : " + tsdl::type_name(field);
  const char* between = " { ";
  for (const Label& label : field.labels) {
    out += between + tsdl::quoted(label.name) + " = " +
           (field.is_signed ? text(static_cast<std::int64_t>(label.value)) : text(label.value));
    between = ", ";
  }
  return out + " }";
}

// A name of our own beside the fields: babeltrace2 ends with an abort where a member is there twice (tsdl.hpp, NAMES).
std::string own_name(std::string name, std::span<const Field> fields) {
  while (std::ranges::any_of(fields, [&](const Field& field) { return field.name == name; })) name += '_';
  return name;
}

// One of the fields, with what stands before it: " u16 x_length; u32 _x[x_length];"
std::string field_text(const Field& field, std::span<const Field> fields) {
  const std::string name(field.name);
  const std::string type = tsdl::type_name(field);
  switch (field.kind) {
    case FieldKind::integer:
    case FieldKind::floating:
      return "    " + type + " _" + name + ";\n";
    case FieldKind::array:
      return "    " + type + " _" + name + "[" + text(field.count) + "];\n";
    case FieldKind::sequence: {
      const std::string length = own_name(name + std::string(tsdl::kLengthSuffix), fields);
      return "    u16 " + length + ";\n    " + type + " _" + name + "[" + length + "];\n";
    }
    case FieldKind::string:
      return "    text _" + name + ";\n";
    case FieldKind::enumeration:
      return "    " + enumeration_type(field) + " _" + name + ";\n";
  }
  return "";
}

}  // namespace

Uuid random_uuid() {
  Uuid uuid{};
  if (getrandom(uuid.data(), uuid.size(), 0) < 0) uuid[0] = 1;   // never all zero
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0f) | 0x40);  // RFC 4122: random
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3f) | 0x80);
  return uuid;
}

std::string metadata_of_trace(const TraceEnvironment& environment, const TraceClock& clock) {
  return std::string(tsdl::kSignature) + "\n" + types() + "trace {\n  major = 1;\n  minor = 8;\n  uuid = \"" +
         text(environment.uuid) +
         "\";\n  byte_order = le;\n"
         "  packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; };\n};\n" +
         environment_block(environment, clock) +
         clock_block(clock.uuid == Uuid{} ? environment.uuid : clock.uuid, clock) + time_types();
}

std::string tsdl::stream_block(std::uint32_t stream_id, StreamKind kind, std::string_view context_align) {
  const std::string owner = is_of_cpu(kind) ? "cpu_id" : "tid";
  const std::string context = kind == StreamKind::kernel ? "u32 _tid;" : "u32 cpu_id;";
  return "stream {\n  id = " + text(stream_id) + ";\n  packet.context := struct {\n    u32 " + owner +
         "; u32 slot;\n"
         "    time_full timestamp_begin; time_full timestamp_end;\n"
         "    u64 content_size; u64 packet_size; u64 packet_seq_num; u64 records;\n"
         "    u64 events_discarded; u64 lost_full; u64 lost_wrap; u64 lost_big;\n  };\n"
         "  event.header := struct {\n    time_low timestamp;\n    enum : integer { size = " +
         text(MAXLAT_RING_ID_BITS) + "; align = 1; signed = false; } { compact = 0 ... " +
         text(MAXLAT_RING_LONG_ID - 1) + ", extended = " + text(MAXLAT_RING_LONG_ID) +
         " } id;\n"
         "    variant <id> {\n      struct { } compact;\n"
         "      struct { struct { u32 id; } length; u32 id; time_full timestamp; } align(64) extended;\n    } v;\n"
         "  } align(64);\n" +
         (has_context(kind) ? "  event.context := struct { " + context + " }" + std::string(context_align) + ";\n"
                            : "") +
         "};";
}

std::string metadata_of_channel(std::uint32_t stream_id, std::string_view name, StreamKind kind) {
  return "/* channel " + std::string(name) + " */\n" + tsdl::stream_block(stream_id, kind) + "\n";
}

std::string metadata_of_event(std::uint32_t stream_id, std::uint32_t event_id, const EventDescription& event) {
  std::string fields;
  for (const Field& field : event.fields) fields += field_text(field, event.fields);
  const std::string provider = event.provider.empty() ? "" : std::string(event.provider) + ":";
  return "event {\n  name = " + tsdl::quoted(provider + std::string(event.name)) + ";\n  id = " + text(event_id) +
         ";\n  stream_id = " + text(stream_id) + ";\n  loglevel = " + text(static_cast<unsigned>(event.level)) +
         ";\n  fields := struct {\n" + fields + "    aligned " +
         own_name(std::string(tsdl::kPaddingName), event.fields) + "[0];\n  } align(64);\n};\n";
}

std::array<std::uint8_t, 32> packet_prefix(const Uuid& uuid, std::uint32_t stream_id, std::uint64_t instance) {
  static_assert(MAXLAT_RING_PACKET_PREFIX == 32);
  std::array<std::uint8_t, 32> prefix{};
  std::memcpy(prefix.data(), &kPacketMagic, 4);
  std::memcpy(prefix.data() + 4, uuid.data(), uuid.size());
  std::memcpy(prefix.data() + 20, &stream_id, 4);
  std::memcpy(prefix.data() + 24, &instance, 8);
  return prefix;
}

}  // namespace maxlat::trace
