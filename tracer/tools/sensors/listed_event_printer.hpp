// SPDX-License-Identifier: MIT
//
// An event of a list, as `maxlat trace print` shows those of a trace:
//
//   [12:53:05.123456789] cpu1 motor:step: { axis = 1, position_mm = 2.5 }
//   {"time_ns":1700000000123456789,"position":7,"cpu":1,"event":"motor:step","fields":{"axis":1,"position_mm":2.5}}
//
// One that came behind its turn has (late), and "late":true. Among events of several lists each has its list's name:
//
//   [12:53:05.123456789] robot#4711/motor/steps cpu1 motor:step: { axis = 1, position_mm = 2.5 }
#pragma once

#include <cstdint>
#include <maxlat/sensors/event_reader.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "read/field_printer.hpp"
#include "read/moment_writer.hpp"
#include "read/output_buffer.hpp"

namespace maxlat::trace_tools {

class ListedEventPrinter {
 public:
  ListedEventPrinter(const std::vector<trace::EventDescription>& types, PrintStyle style, std::string_view list = {});
  // Without the end of the line. `event` is of a list of these types, `time_ns` the wall clock's at its ticks.
  std::string text(const sensors::ListedEvent& event, std::int64_t time_ns);

 private:
  struct Words {
    std::string name;
    FieldWords fields;
  };

  const std::vector<trace::EventDescription>& types_;
  PrintStyle style_;
  std::string list_;  // as it is written
  OutputBuffer out_;
  MomentWriter moment_;
  FieldPrinter fields_;
  std::vector<Words> words_;  // of each type
};

}  // namespace maxlat::trace_tools
