// SPDX-License-Identifier: MIT
//
// A trace of one process in a folder of its own that goes with it, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <maxlat/test/temporary_folder.hpp>
#include <maxlat/trace/ctf_format.hpp>
#include <maxlat/trace/reader.hpp>
#include <memory>
#include <string>
#include <utility>

#include "test_packet.hpp"

namespace maxlat::trace::test {

using maxlat::test::TemporaryFolder;

inline constexpr Field kNumber[] = {{.name = "n", .kind = FieldKind::integer, .bytes = 4}};
inline constexpr Field kText[] = {
    {.name = "s", .kind = FieldKind::string, .count = 50},
    {.name = "v", .kind = FieldKind::sequence, .bytes = 2, .is_signed = true, .count = 9}};
inline constexpr Label kLabels[] = {{"idle", 0}, {"running", 1}, {"again", 1}};
inline constexpr Field kState[] = {{.name = "address", .kind = FieldKind::integer, .bytes = 4, .is_hex = true},
                                   {.name = "state", .kind = FieldKind::enumeration, .bytes = 1, .labels = kLabels}};
inline constexpr std::uint32_t kNumberId = 1;
inline constexpr std::uint32_t kTextId = 2;
inline constexpr std::uint32_t kStateId = 3;
inline constexpr std::uint32_t kFarId = 1'000'000;  // fits in no record word

inline Uuid uuid() {
  return {0xab, 1, 2, 3};
}

// A counter of 1 GHz that was 0 at 1970: ticks are nanoseconds.
inline std::string metadata(const TraceClock& clock = {base::clock_with_rate(1), 0, 0}) {
  return metadata_of_trace({uuid(), "test", "app", 42}, clock) + metadata_of_channel(0, "threads", StreamKind::thread) +
         metadata_of_event(0, kNumberId, {"app", "number", Level::info, kNumber}) +
         metadata_of_event(0, kTextId, {"app", "text", Level::debug, kText}) +
         metadata_of_event(0, kStateId, {"app", "state", Level::info, kState}) +
         metadata_of_event(0, kFarId, {"app", "far", Level::error, kNumber});
}

inline std::array<std::uint8_t, 32> prefix(std::uint32_t thread, std::uint32_t slot = 0) {
  return packet_prefix(uuid(), 0, thread | std::uint64_t{slot} << 32);
}

// All events of a trace, one after the other. RETURNS: the reader behind them, or nullptr, after a failure.
template <class Take>
std::unique_ptr<TraceReader> read_events(const std::string& folder, ReadOptions options, Take take) {
  auto reader = TraceReader::open(folder, std::move(options));
  if (!reader) {
    ADD_FAILURE() << reader.error().text;
    return nullptr;
  }
  for (RecordedEvent event; (*reader)->next(event);) take(event);
  return std::move(*reader);
}

inline Payload number(std::uint32_t n) {
  return Payload().number(n);
}

}  // namespace maxlat::trace::test
