// SPDX-License-Identifier: MIT
//
// ctf_sample_trace DIR [loss]: a trace made by hand with everything that the format can say: every kind of field, short
// and long records, times that overflow their low bits in every way, several packets, streams, channels and processes;
// with `loss`, packets that tell of lost events. For the tests that hold babeltrace2 and our own reader against each
// other.
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <limits>
#include <maxlat/trace/ctf_format.hpp>
#include <string>
#include <vector>

#include "test_packet.hpp"

namespace maxlat::trace {
namespace {

using test::Packet;
using test::Payload;

constexpr std::uint64_t kLow = std::uint64_t{1} << MAXLAT_RING_TIME_BITS;

constexpr Label kUnsigned[] = {{"zero", 0}, {"int", 1}, {"highest", UINT64_MAX}};
constexpr Label kSigned[] = {{"lowest", std::uint64_t{1} << 63}, {"a \"quoted\\ one", INT64_MAX}};
constexpr Label kSmall[] = {
    {"none", 0}, {"one", 1}, {"also one", 1}, {"minus two", ~std::uint64_t{1}}, {"\xc3\xa4", 3}};
constexpr Field kIntegers[] = {
    {.name = "u8", .kind = FieldKind::integer, .bytes = 1},
    {.name = "i8", .kind = FieldKind::integer, .bytes = 1, .is_signed = true},
    {.name = "u16", .kind = FieldKind::integer, .bytes = 2},
    {.name = "i16", .kind = FieldKind::integer, .bytes = 2, .is_signed = true},
    {.name = "u32", .kind = FieldKind::integer, .bytes = 4},
    {.name = "i32", .kind = FieldKind::integer, .bytes = 4, .is_signed = true},
    {.name = "u64", .kind = FieldKind::integer, .bytes = 8},
    {.name = "i64", .kind = FieldKind::integer, .bytes = 8, .is_signed = true},
    {.name = "hex_u8", .kind = FieldKind::integer, .bytes = 1, .is_hex = true},
    {.name = "hex_i8", .kind = FieldKind::integer, .bytes = 1, .is_signed = true, .is_hex = true},
    {.name = "hex_u64", .kind = FieldKind::integer, .bytes = 8, .is_hex = true},
    {.name = "hex_i64", .kind = FieldKind::integer, .bytes = 8, .is_signed = true, .is_hex = true},
    {.name = "enum_u64", .kind = FieldKind::enumeration, .bytes = 8, .labels = kUnsigned},
    {.name = "enum_i64", .kind = FieldKind::enumeration, .bytes = 8, .is_signed = true, .labels = kSigned},
};
constexpr Field kFloats[] = {
    {.name = "f32", .kind = FieldKind::floating, .bytes = 4},
    {.name = "f64", .kind = FieldKind::floating, .bytes = 8},
};
constexpr Field kMany[] = {
    {.name = "string", .kind = FieldKind::string, .count = 100},  // a word of TSDL, too
    {.name = "_array", .kind = FieldKind::array, .bytes = 2, .is_signed = true, .count = 3},
    {.name = "floats", .kind = FieldKind::array, .bytes = 8, .is_float = true, .count = 2},
    {.name = "sequence", .kind = FieldKind::sequence, .bytes = 4, .count = 10},
    {.name = "state", .kind = FieldKind::enumeration, .bytes = 1, .is_signed = true, .labels = kSmall},
    {.name = "hexes", .kind = FieldKind::array, .bytes = 2, .is_signed = true, .count = 2, .is_hex = true},
    {.name = "hex_sequence", .kind = FieldKind::sequence, .bytes = 4, .count = 10, .is_hex = true},
    {.name = "last", .kind = FieldKind::sequence, .bytes = 1, .is_signed = true, .count = 10},
};
constexpr Field kOne[] = {{.name = "n", .kind = FieldKind::integer, .bytes = 4}};

constexpr EventDescription kEvents[] = {
    {"sample", "integers", Level::error, kIntegers},
    {"sample", "floats", Level::info, kFloats},
    {"sample", "many", Level::debug, kMany},
    {"sample", "nothing", Level::info, {}},
    {"other", "one", Level::info, kOne},
};
constexpr std::uint32_t kFarId = 1u << 20;  // an id that only a long record can bear

template <typename Signed, typename Unsigned>
void edge(Payload& payload, bool highest) {
  payload.number(highest ? std::numeric_limits<Unsigned>::max() : Unsigned{0});
  payload.number(highest ? std::numeric_limits<Signed>::max() : std::numeric_limits<Signed>::min());
}

Payload integers(bool highest) {
  Payload payload;
  edge<std::int8_t, std::uint8_t>(payload, highest);
  edge<std::int16_t, std::uint16_t>(payload, highest);
  edge<std::int32_t, std::uint32_t>(payload, highest);
  edge<std::int64_t, std::uint64_t>(payload, highest);
  edge<std::int8_t, std::uint8_t>(payload, highest);
  edge<std::int64_t, std::uint64_t>(payload, highest);
  edge<std::int64_t, std::uint64_t>(payload, highest);
  return payload;
}

// `last`: also the value of the enumeration, less 4: from -4 to 4.
Payload many(std::size_t text, std::uint16_t elements, std::uint16_t last) {
  Payload payload;
  payload.text(std::string(text, 'x') + (text % 2 != 0 ? "\"\\\n\t" : ""));
  for (std::int16_t i = -1; i < 2; ++i) payload.number(i);
  payload.number(0.25).number(-1e300).number(elements);
  for (std::uint32_t i = 0; i < elements; ++i) payload.number(i * 1'000'000'007u);
  payload.number(static_cast<std::int8_t>(last - 4))
      .number(std::int16_t{-1})
      .number(std::int16_t{0xabc})
      .number(elements);
  for (std::uint32_t i = 0; i < elements; ++i) payload.number(i * 1'000'000'007u);
  payload.number(last);
  for (std::uint16_t i = 0; i < last; ++i) payload.number(static_cast<std::int8_t>(-i));
  return payload;
}

// Every length of padding, every kind of field.
std::string kinds(const std::array<std::uint8_t, 32>& prefix, std::uint64_t sequence, std::uint64_t time) {
  Packet packet(prefix, sequence, time);
  packet.short_record(1, time, integers(false)).short_record(1, time + 7, integers(true));
  packet.short_record(2, time + 7, Payload().number(1.5f).number(-1.0 / 3));
  packet.short_record(2, time + 8, Payload().number(1e-30f).number(1e22));
  for (std::uint16_t i = 0; i < 9; ++i) {
    packet.short_record(3, time + 10u + i,
                        many(i, static_cast<std::uint16_t>(i % 4), static_cast<std::uint16_t>(8 - i)));
  }
  return packet.short_record(4, time + 100, {}).bytes();
}

// Times across the overflow of the low bits, by one tick and by nearly all of them, and longer silences.
std::string times(const std::array<std::uint8_t, 32>& prefix, std::uint64_t sequence, std::uint64_t time) {
  Packet packet(prefix, sequence, time);
  const auto one = [](std::uint32_t n) { return Payload().number(n); };
  packet.short_record(5, time, one(0)).short_record(5, time + 1, one(1)).short_record(5, time + kLow - 1, one(2));
  packet.long_record(5, time + kLow, one(3)).short_record(5, time + kLow, one(4));
  packet.long_record(kFarId, time + 10 * kLow + 5, one(5)).short_record(5, time + 10 * kLow + 6, one(6));
  packet.short_record(5, time + 11 * kLow + 4, one(7)).long_record(5, time + 1'000 * kLow, one(8));
  return packet.ends(time + 1'001 * kLow).bytes();
}

std::string metadata(const Uuid& uuid, int process) {
  const TraceEnvironment environment{uuid, "sample", "sam\"ple", process};
  std::string text = metadata_of_trace(
      environment, {base::clock_with_rate(2.596123456), 1'700'006'400'123'456'789 + process, 123'456'789});
  text += metadata_of_channel(0, "threads", StreamKind::thread) + metadata_of_channel(1, "cpus", StreamKind::cpu);
  for (std::uint32_t stream = 0; stream < 2; ++stream) {
    std::uint32_t id = 0;
    for (const EventDescription& event : kEvents) text += metadata_of_event(stream, ++id, event);
    text += metadata_of_event(stream, kFarId, kEvents[4]);
  }
  return text;
}

bool write(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  return static_cast<bool>(file << bytes << std::flush);
}

bool write_process(const std::string& folder, int process, bool loss) {
  const std::string path = folder + "/sample-" + std::to_string(process);
  if (mkdir(path.c_str(), 0755) != 0) return false;
  Uuid uuid{};
  uuid[0] = static_cast<std::uint8_t>(process);
  bool written = write(path + "/metadata", metadata(uuid, process));
  for (std::uint32_t stream = 0; stream < 4; ++stream) {
    const auto prefix = packet_prefix(uuid, stream / 2, 4'000 + stream % 2 + (std::uint64_t{stream % 2} << 32));
    // Streams that interleave, and begin just below an overflow of every width of low bits.
    const std::uint64_t begin = (std::uint64_t{40} << 32) - 5 + 3 * stream + static_cast<std::uint64_t>(process % 2);
    std::string bytes = kinds(prefix, 0, begin) + times(prefix, 1, begin + 1'000);
    bytes += kinds(prefix, 2, begin + 5'000 * kLow);
    if (loss) {
      bytes += Packet(prefix, 3, begin + 5'001 * kLow).short_record(4, begin + 5'001 * kLow, {}).lost(5, 1, 1).bytes();
    }
    written =
        written && write(path + (stream / 2 == 0 ? "/threads-" : "/cpus-") + std::to_string(stream % 2) + "-0", bytes);
  }
  return written;
}

}  // namespace
}  // namespace maxlat::trace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: ctf_sample_trace DIR [loss]\n");
    return 1;
  }
  mkdir(argv[1], 0755);
  for (const int process : {1000, 1001}) {
    if (!maxlat::trace::write_process(argv[1], process, argc > 2)) {
      std::perror(argv[1]);
      return 1;
    }
  }
}
