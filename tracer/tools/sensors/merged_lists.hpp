// SPDX-License-Identifier: MIT
//
// All lists of events that are chosen, of programs that come and go, as one sequence (maxlat/sensors/event_merge.hpp).
// One of a program that has ended is still read to its end.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <maxlat/sensors/event_merge.hpp>
#include <string>
#include <vector>

#include "sensors/chosen_sensors.hpp"

namespace maxlat::trace_tools {

// A post takes less than a microsecond, unless somebody else has its CPU.
inline constexpr std::chrono::nanoseconds kPatience = std::chrono::milliseconds(100);

class MergedLists {
 public:
  explicit MergedLists(std::chrono::nanoseconds patience);

  // Which lists there are now: those that are new begin, those that are gone end.
  void look(const ChosenSensors& chosen);
  // What has come; and in the end what is left.
  void round(const sensors::EventMerge::Take& take);
  void finish(const sensors::EventMerge::Take& take) { merge_.finish(take); }

  struct List {
    std::string name;  // the whole one
    std::string program;
    int pid = 0;
    std::string group;
    std::string list;
    std::array<std::uint8_t, 16> memory{};  // of the group, by which a program's are known
  };
  const std::vector<List>& lists() const { return lists_; }  // by their number in the merge
  const sensors::EventMerge& merge() const { return merge_; }

 private:
  sensors::EventMerge merge_;
  std::vector<List> lists_;
  std::map<SensorKey, std::size_t> numbers_;  // of those that have not ended
};

}  // namespace maxlat::trace_tools
