// SPDX-License-Identifier: MIT
#include "trace_paths.hpp"

#include <cstring>
#include <maxlat/trace/stream_reader.hpp>
#include <maxlat/trace/trace_folder.hpp>

namespace maxlat::npt {
namespace {

// npt:loop, as it lies in the trace.
struct LoopEvent {
  uint64_t count = 0, ticks = 0;
};

bool is_loop(const trace::RecordedEvent& event, LoopEvent& loop) {
  if (event.type->name != "npt:loop" || event.payload.size() < sizeof loop) return false;
  std::memcpy(&loop, event.payload.data(), sizeof loop);
  return true;
}

void read_stream(trace::StreamReader& reader, const std::string& name_of_switch, TraceReadBack& trace) {
  trace::RecordedEvent event;
  LoopEvent before;
  bool has_before = false, before_switched = false;
  while (reader.next_packet()) {
    for (bool first = true; reader.next_in_packet(event); first = false) {
      ++trace.events;
      LoopEvent loop;
      if (!is_loop(event, loop)) {
        has_before = false;
        continue;
      }
      if (has_before && loop.count == before.count + 1) {
        (before_switched ? trace.switches : trace.ordinary).record(loop.ticks);
        if (before_switched) trace.switch_gaps.push_back({event.ticks, loop.ticks, name_of_switch});
      }
      before = loop;
      has_before = true;
      before_switched = first;
    }
  }
  if (trace.damage.empty() && !reader.breaks().empty())
    trace.damage = reader.breaks().front().file + ": " + reader.breaks().front().why;
}

}  // namespace

core::Result<TraceReadBack> read_trace_back(const std::string& folder, const std::string& name_of_switch) {
  const auto processes = trace::open_trace_folder(folder);
  if (!processes) return processes.error();
  TraceReadBack trace;
  const trace::ReadOptions everything;
  for (const trace::StoredProcess& process : *processes)
    for (const std::string& file : process.stream_files) {
      trace::StreamReader reader(process.description, file, everything);
      read_stream(reader, name_of_switch, trace);
    }
  return trace;
}

}  // namespace maxlat::npt
