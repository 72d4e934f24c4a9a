// SPDX-License-Identifier: MIT
//
// What values became while they were recorded, as phases of a result (docs/result.md):
//
//   a histogram of times   a phase of kind "sensor", called PROGRAM/GROUP/NAME: what was posted meanwhile
//   everything else        a fact each of one phase of kind "values"
//
// The values of a program that has ended, or was killed, are those that it left.
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/core/result/run_result.hpp>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sensors/chosen_sensors.hpp"

namespace maxlat::trace_tools {

// What was posted between two looks; without a first one everything. Minimum and maximum are exact where they can be
// known to be of that time, and bins' edges else. Times are in a unit of so many ns.
core::CpuResult result_between(const sensors::HistogramValue& before, const sensors::HistogramValue& now, double ns);

class RecordedValues {
 public:
  // What of sensors that are new belongs to the recording: what is posted from now on; everything, where their programs
  // were started after recording began, which is not known of a common group; or everything in any case.
  enum class Since { now, begin_of_programs, ever };
  void look(const std::shared_ptr<const ChosenSensors>& chosen, Since since);
  // Of all from now on.
  void begin_anew();
  // REQUIRES: they were recorded for so long. `started`: utc_text.
  std::vector<core::Phase> phases(const std::string& started, double seconds) const;
  std::size_t size() const { return entries_.size(); }
  // Those whose name another has already: theirs has the number of the process.
  std::size_t with_numbers() const { return with_numbers_; }
  // Events that were posted meanwhile and that their lists have no room for, however empty they are.
  std::uint64_t refused_events() const;

 private:
  struct Entry {
    std::shared_ptr<const ChosenSensors> owner;
    ChosenSensor sensor;
    std::string name;             // no other entry's
    sensors::SensorValue before;  // std::monostate: nothing
  };
  // Two runs of a program have the same names for the same things, so without the number of the process, unless it is
  // needed to tell two of them apart.
  std::string take_name(const ChosenSensor& sensor);
  core::Phase phase_of(const Entry& entry, const sensors::HistogramValue& now, double seconds) const;

  std::set<SensorKey> known_;
  std::map<std::string, std::size_t> taken_;  // how often
  std::size_t with_numbers_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace maxlat::trace_tools
