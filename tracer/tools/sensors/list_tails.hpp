// SPDX-License-Identifier: MIT
//
// The last events of lists, for who looks once, and for who looks again and again: each list has a reader, which goes
// on where it was. One of a program that has ended is still read to its end.
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <maxlat/sensors/event_reader.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sensors/chosen_sensors.hpp"
#include "sensors/listed_event_printer.hpp"

namespace maxlat::trace_tools {

struct TailStyle {
  std::size_t most = 10;          // events of a list
  bool again = false;             // those that were there at the last look, too: for a terminal's page
  std::uint64_t patience_ns = 0;  // so long an event whose post has not ended holds up those behind it
};

// --events N: as `most`.
void add_events_option(boost::program_options::options_description& options);

class ListTail {
 public:
  ListTail(const ChosenSensor& sensor, const TailStyle& style);

  // Takes what has come. Bounded, however fast the program posts. `ended`: nobody posts any more, so that a post which
  // has not ended never will, and holds up nothing.
  void read(const sensors::EventClock& clock, bool ended = false);
  // What is kept after read(): text or JSON of each event; and as lines, with how many are left out in front, and what
  // was lost since the read() before.
  std::vector<std::string> texts(PrintStyle style) const;
  std::string lines() const;
  sensors::EventBooks books() const { return reader_.books(); }
  bool any_fresh() const { return fresh_ != 0; }
  // What an honest program's list never has; empty: nothing of that.
  const std::string& contradiction() const { return contradiction_; }

 private:
  struct Kept {
    std::int64_t time_ns;
    sensors::ListedEvent event;
    std::vector<std::uint8_t> payload;
  };
  void keep(const sensors::ListedEvent& event, std::int64_t time_ns);
  void judge(const sensors::ListedEvent& event);

  sensors::EventReader reader_;
  TailStyle style_;
  std::deque<Kept> kept_;
  std::uint64_t fresh_ = 0;  // that the last read() took, whether or not they are kept
  sensors::EventBooks lost_;  // in the last read()
  std::uint64_t last_ticks_ = 0;
  std::string contradiction_;
};

class ListTails {
 public:
  explicit ListTails(TailStyle style) : style_(style) {}
  // The list's, read until now. REQUIRES: a list of events.
  ListTail& read(const ChosenSensor& sensor);
  // The last events of those lists that were not read since the last call; they are forgotten. Lines.
  std::string ended();

 private:
  const sensors::EventClock& clock();

  struct Entry {
    std::string name;
    ListTail tail;
    bool seen = true;
  };
  TailStyle style_;
  std::map<SensorKey, Entry> lists_;
  std::optional<sensors::EventClock> clock_;  // when there is a list
};

}  // namespace maxlat::trace_tools
