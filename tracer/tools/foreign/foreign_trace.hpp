// SPDX-License-Identifier: MIT
//
// Traces of other tracers, and of other versions of ours: any CTF 1.8 that libbabeltrace2 reads, through it. Our own
// traces have a reader that is many times as fast (trace/reader.hpp); which of the two it is says the metadata.
//
// The library is loaded with its plug-ins and is not ours: whatever a damaged trace makes of it must not be the end of
// the command. So all of it runs in a child process (isolated_read), which prints; a child that a signal ends is told
// in one line. Where the library is not there (static build), foreign_absent.cpp stands in for what knows it.
//
// FILES  foreign_graph   opens, reads, errors in words          knows the library
//        foreign_fields  values as text and JSON                 knows the library
//        foreign_print, foreign_stats, foreign_check             what the commands make of it
#pragma once

#include <cstdint>
#include <functional>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/trace/packet_file.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "read/output_buffer.hpp"

struct bt_event;

namespace maxlat::trace_tools {

struct ForeignStream {
  std::size_t number = 0;  // of all streams, from 0
  std::string trace;       // "app 17", or the host where no process is told
  std::string name;
};

struct ForeignEvent {
  std::string_view name;
  std::optional<std::int64_t> time_ns;  // none: the stream has no clock
  const ForeignStream* stream = nullptr;
  const bt_event* event = nullptr;
};

// Something that the trace says is not in it.
struct ForeignLoss {
  const ForeignStream* stream = nullptr;
  bool packets = false;                // or events
  std::optional<std::uint64_t> count;  // none: not told
  std::optional<std::int64_t> after_ns, before_ns;
};

// What is made of a trace. An answer of false ends the reading.
struct ForeignSink {
  std::function<bool(const ForeignEvent&)> event;
  std::function<void(const ForeignLoss&)> loss = [](const ForeignLoss&) {};
  std::function<void(const ForeignStream&)> packet = [](const ForeignStream&) {};
};

// Is the library in this program?
bool can_read_foreign();
// Says, in the process that reads, that reading goes on (isolated(), foreign_command.hpp).
void foreign_came_further();
// Can the library make something of the metadata of one of these folders?
bool any_foreign_readable(const std::vector<std::string>& folders);
// Everything in these folders, in the order of time. RETURNS: what could not be read, and why.
std::vector<trace::TraceBreak> read_foreign(const std::vector<std::string>& folders, const ForeignSink& sink);

// The fields of an event, each part that it has in braces: packet's context, the event's two, payload; as JSON members
// "packet":{...},"context":{...},"own_context":{...},"fields":{...}.
void write_foreign_fields(OutputBuffer& out, const bt_event* event, bool json);
// A field of the event itself by that name, if it is of that kind.
std::optional<std::int64_t> foreign_field_number(const bt_event* event, const char* name);
std::optional<std::string> foreign_field_text(const bt_event* event, const char* name);
// A number by that name in the packet's context, or in one of the event's.
std::optional<std::int64_t> foreign_number(const bt_event* event, const char* name);

}  // namespace maxlat::trace_tools
