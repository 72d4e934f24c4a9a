// SPDX-License-Identifier: MIT
//
// Reads a stored trace: the events of all its processes and streams, in the order of time. START HERE to read a trace
// from a program.
//
//   auto reader = maxlat::trace::TraceReader::open("DIR");
//   if (!reader) ... reader.error().text
//   for (maxlat::trace::RecordedEvent event; (*reader)->next(event);)
//     ... event.type->name, event.time_ns, field_values.hpp
//   for (const auto& place : (*reader)->breaks()) ... what could not be read, and where
//
// SNAPSHOTS of a flight recorder: a folder with several of them is one trace. A sub-buffer that was being filled at
// one snapshot is complete in the next one; it is read from there, and each event is given once (stream_overlap.hpp).
//
// MEMORY: a window of each stream's file (packet_file.hpp) and its tables, whatever the length of the trace.
// COST: bench/trace_reader_bench.py. THREADS: one at a time.
// TRUST: the files may hold anything. Complete parts are read, damaged ones are reported, and nothing else happens.
#pragma once

#include <compare>
#include <maxlat/base/result.hpp>
#include <maxlat/trace/field_values.hpp>
#include <maxlat/trace/merge_stamped.hpp>
#include <maxlat/trace/stream_reader.hpp>
#include <maxlat/trace/trace_folder.hpp>
#include <memory>
#include <string>
#include <vector>

namespace maxlat::trace {

class TraceReader {
 public:
  // A folder that was recorded to, or that of one process in it.
  static base::Result<std::unique_ptr<TraceReader>> open(const std::string& folder, ReadOptions options = {});

  // Of equal times, in the order of ticks, then of streams. What `event` points to is valid until the next call.
  bool next(RecordedEvent& event);

  const std::vector<StoredProcess>& processes() const { return processes_; }
  bool has_all_processes() const { return unreadable_.empty(); }  // whose metadata can be read
  bool wants(const EventType& type) const { return !options_.wants_event || options_.wants_event(type); }
  const std::vector<std::unique_ptr<StreamReader>>& streams() const { return streams_; }
  // All that was met so far; complete once next() has said no.
  std::vector<TraceBreak> breaks() const;

 private:
  struct Stamp {
    std::int64_t time_ns;
    std::uint64_t ticks;  // finer than its time
    std::strong_ordering operator<=>(const Stamp&) const = default;
  };
  struct Source {
    StreamReader* reader;
    RecordedEvent event{};
    bool advance() { return reader->next(event); }
    Stamp stamp() const { return {event.time_ns, event.ticks}; }
  };
  TraceReader(std::vector<StoredProcess> processes, std::vector<TraceBreak> unreadable, ReadOptions options);

  std::vector<StoredProcess> processes_;
  std::vector<TraceBreak> unreadable_;  // processes that cannot be read at all
  ReadOptions options_;
  std::vector<std::unique_ptr<StreamReader>> streams_;
  StampedMerge<Source> merge_;
};

}  // namespace maxlat::trace
