// SPDX-License-Identifier: MIT
//
// The events of lists as a trace on disk (ctf_format.hpp): a process for each program, a channel for each list, named
// GROUP.LIST, or GROUP.LIST#2 where that is taken, in it a stream for each CPU. What was lost is told behind the list's
// event before it, as lost_full. For that the last event of a list is held back until it is known what comes behind it.
// What was lost before its first one is in the books alone.
//
// LATE EVENTS, older than what their stream has already, get streams of their own in the end, in the order of time: so
// who reads the trace finds each event in its place.
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/trace/trace_writer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sensors/merged_lists.hpp"

namespace maxlat::trace_tools {

struct ListTotals {
  std::uint64_t recorded = 0, lost = 0;
  std::uint64_t unreadable = 0;  // of no type that the list has, or without all their fields: not recorded
  bool write_failed = false;
  std::size_t programs = 0, lists = 0;
};

class ListTraces {
 public:
  explicit ListTraces(std::string directory) : directory_(std::move(directory)) {}

  // Those of the lists that are new. ERRORS: as TraceWriter::create().
  core::Status add(const MergedLists& lists);
  // REQUIRES: its list was added.
  void write(const sensors::MergedEvent& one);
  // Behind its last event so many were lost, too.
  void lose_at_end(std::size_t list, std::uint64_t events);
  void flush();
  ListTotals finish();

 private:
  struct Kept {
    std::uint64_t ticks = 0;
    std::uint32_t cpu = 0, id = 0;
    std::vector<std::uint8_t> payload;
  };
  struct Stream {
    std::size_t number = 0;
    std::uint64_t last = 0;
  };
  struct Channel {
    trace::TraceWriter* writer = nullptr;
    std::uint32_t number = 0;
    const trace::EventDescription* types = nullptr;  // valid as long as there are events of the list
    std::vector<std::uint32_t> ids;                  // of each
    std::map<std::uint32_t, Stream> streams;         // by CPU
    std::optional<Kept> held;                        // the last event
    bool has_events = false;                         // it had one, at least
    std::vector<Kept> late;
    trace::TraceWriter::Told told;
  };
  core::Result<trace::TraceWriter*> writer_of(const MergedLists::List& list);
  std::string take_name(const trace::TraceWriter* writer, const MergedLists::List& list);
  static Stream& stream_of(Channel& channel, std::map<std::uint32_t, Stream>& streams, std::uint32_t cpu);
  static void write_held(Channel& channel, std::uint64_t lost_behind);
  static void write_late(Channel& channel);

  std::string directory_;
  std::map<std::pair<std::string, int>, std::unique_ptr<trace::TraceWriter>> writers_;  // by program
  std::vector<Channel> channels_;                                                       // by list
  std::map<std::pair<const trace::TraceWriter*, std::string>, unsigned> taken_;         // names of channels
};

}  // namespace maxlat::trace_tools
