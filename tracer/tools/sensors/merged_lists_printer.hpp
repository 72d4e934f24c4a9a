// SPDX-License-Identifier: MIT
//
// `maxlat sensors watch --merged`: the events of several lists as lines, in one order. A line that begins with --- says
// how many posts of a list were lost there.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "sensors/listed_event_printer.hpp"
#include "sensors/merged_lists.hpp"

namespace maxlat::trace_tools {

class MergedListsPrinter {
 public:
  explicit MergedListsPrinter(std::chrono::nanoseconds patience) : lists_(patience) {}
  std::string look(const ChosenSensors& chosen);
  std::string rest();  // at the end

 private:
  void add(const sensors::MergedEvent& one, std::string& text);
  void add_loss(std::size_t list, std::uint64_t posts, std::string& text) const;

  MergedLists lists_;
  sensors::EventClock clock_;
  std::map<std::size_t, ListedEventPrinter> printers_;  // of each list
};

}  // namespace maxlat::trace_tools
