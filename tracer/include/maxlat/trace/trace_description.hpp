// SPDX-License-Identifier: MIT
//
// What a stored trace says about itself: the processes that were traced, the channels and events of each, as read from
// the metadata (ctf_format.hpp).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <maxlat/base/result.hpp>
#include <maxlat/trace/ctf_format.hpp>
#include <maxlat/trace/description.hpp>
#include <maxlat/trace/thread_names.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::trace {

// What the labels of fields point into, where they lie as long as this lives.
struct LabelStore {
  std::deque<std::vector<Label>> lists;
  std::deque<std::string> names;  // those that are not in the metadata as they are, because it escapes them
};

struct EventType {
  std::uint32_t id = 0;
  std::size_t number = 0;  // of all event types of a trace, from 0 without a hole: for tables of who reads
  std::string name;        // "provider:name"
  Level level = Level::info;
  // Their names point into the metadata, their labels into the process's. Caps of sequences and strings are not known:
  // 0.
  std::vector<Field> fields;
};

struct TraceChannel {
  std::uint32_t stream_id = 0;
  StreamKind kind = StreamKind::thread;
  std::map<std::uint32_t, EventType> events;  // by id
};

// Turns counter ticks into nanoseconds of CLOCK_REALTIME, exactly as CTF defines it, the offset's ticks and the
// counter's rounded down each by itself, as babeltrace2 does.
struct TraceTime {
  std::uint64_t frequency_hz = 1'000'000'000;
  std::int64_t offset_s = 0;
  std::uint64_t offset_ticks = 0;

  std::int64_t realtime_ns(std::uint64_t ticks) const;
};

struct TraceProcess {
  std::string folder;
  std::string hostname;
  std::string name;
  std::string session;
  std::int64_t pid = 0;
  Uuid uuid{};
  TraceTime time;
  Uuid clock_uuid{};  // the same in traces whose ticks are the same time; their `time` is the same, too
  std::string clock_description;
  bool clock_trusted = true;
  std::int64_t monotonic_offset_ns = 0;
  std::map<std::uint32_t, TraceChannel> channels;  // by stream id
  ThreadNames thread_names;                        // of its rings, as far as the recorder told them
  std::string cut;                                 // where and why the metadata ends in the middle; empty: it is whole

  std::shared_ptr<const std::string> metadata;  // the text that the names of fields point into
  std::shared_ptr<const LabelStore> labels;
};

// The metadata of one process. What comes after a point where the text ends in the middle (its writer died) is missing,
// and `cut` says so. ERRORS: text that maxlat did not write.
base::Result<TraceProcess> parse_metadata(std::string text);

}  // namespace maxlat::trace
