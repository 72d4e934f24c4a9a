// SPDX-License-Identifier: MIT
//
// Events as lines, for people (in the manner of babeltrace2) or as JSON:
//
//   [12:53:05.123456789] (+0.000001200) app 17/18 app:step: { n = 3, v = [ [0] = 1, [1] = 2 ], s = "x" }
//   [12:53:05.123456789] (+0.000001200) app 17/18 "worker" app:step: { n = 3, ...      a thread with a name of its own
//   [12:53:05.123456789] (+0.000001200) kernel 0/cpu1/18 sched_waking: { ...           on CPU 1, recorded in thread 18
//   {"time_ns":1700000000123456789,"process":"app","pid":17,"tid":18,"event":"app:step",
//    "fields":{"n":3,"v":[1,2],"s":"x"}}                                              (all in one line)
//
// An integer in base 16 is 0x1F, and a number in JSON. An enumeration is ( "label" : container = 3 ), and in JSON
// {"value":3,"label":"label"}: without label <unknown> and null, with several of them "one", "other" and a list.
//
// The name of a thread is in JSON always "thread_name", where it is known.
//
// What is the same for every event of a type or stream is made once.
#pragma once

#include <cstdint>
#include <maxlat/trace/reader.hpp>
#include <string>
#include <vector>

#include "field_printer.hpp"
#include "moment_writer.hpp"
#include "output_buffer.hpp"
#include "trace_losses.hpp"

namespace maxlat::trace_tools {

class EventPrinter {
 public:
  EventPrinter(OutputBuffer& out, PrintStyle style)
      : out_(out), style_(style), moment_(out, style), fields_(out, style) {}
  // Before it, what was lost between it and the one before.
  void print(const trace::RecordedEvent& event);
  void print_loss(const trace::TraceStream& stream, const trace::StreamLoss& loss);
  void print_loss(const UntoldLoss& loss);
  bool any_event() const { return any_event_; }
  bool any_loss() const { return any_loss_; }  // of events that nothing replaced

 private:
  struct Words {
    std::string head;  // up to the fields
    FieldWords fields;
  };
  const Words& words_of(const trace::EventType& type);
  const std::string& words_of(const trace::TraceStream& stream);
  const std::string& words_of(const trace::TraceStream& stream, const trace::ThreadName* name);
  void print_loss(const LossCounts& lost, std::uint64_t missing_packets, std::string_view who, std::string_view where);

  OutputBuffer& out_;
  PrintStyle style_;
  MomentWriter moment_;
  FieldPrinter fields_;
  std::vector<Words> types_;
  std::vector<std::string> streams_;
  struct Called {
    const trace::ThreadName* name = nullptr;
    std::string words;
  };
  std::vector<Called> called_;  // of each stream, as its last event had it
  bool any_event_ = false;
  bool any_loss_ = false;
};

}  // namespace maxlat::trace_tools
