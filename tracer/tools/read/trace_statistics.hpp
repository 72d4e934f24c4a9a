// SPDX-License-Identifier: MIT
//
// What a trace holds, counted in one pass over its events in the order of time.
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/trace/reader.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

// Of events that follow one another in time: all of one name, or all of one stream.
struct Series {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  // of records
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::int64_t largest_gap_ns = 0;
  std::int64_t largest_gap_at_ns = 0;  // when the gap began

  void add(std::int64_t time_ns, std::uint64_t size) {
    if (count != 0 && time_ns - last_ns > largest_gap_ns) {
      largest_gap_ns = time_ns - last_ns;
      largest_gap_at_ns = last_ns;
    }
    if (count == 0) first_ns = time_ns;
    last_ns = time_ns;
    bytes += size;
    ++count;
  }
};

struct EventStatistics {
  std::string name;
  std::optional<trace::Level> level;  // of events of other tracers: not known
  Series series;
};

struct StreamStatistics {
  std::string owner;       // "app 17/18 channel0"
  std::string owner_json;  // members of an object
  trace::StreamBooks books;
  Series series;
};

struct TraceStatistics {
  std::vector<EventStatistics> events;    // every event of the metadata that is wanted, also those that never came
  std::vector<StreamStatistics> streams;  // that had a packet
  bool by_cause = true;                   // streams' losses; else all of them are under lost_full
  Series all;
  // By cause, as the recorders' books tell, or, where they left none, as the packets do.
  std::map<std::string, std::uint64_t> lost;
  // Where files are damaged: events that the books say were recorded and that could not be read. Nothing: no file is
  // damaged; kUnknown: nobody knows how many.
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
  std::optional<std::uint64_t> missing;
  std::vector<trace::TraceBreak> breaks;  // what could not be read, books included
  // The longest that an event waited for its file, as far as books tell; 0: no books do.
  std::uint64_t delivery_max_ns = 0;
};

// `whole_streams`: the reader leaves no stream out, nor a part of one, so that books can be held against it.
TraceStatistics count_events(trace::TraceReader& reader, bool whole_streams);
bool any_lost(const TraceStatistics& statistics);

std::string text_of(const TraceStatistics& statistics);
std::string json_of(const TraceStatistics& statistics);

}  // namespace maxlat::trace_tools
