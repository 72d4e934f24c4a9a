// SPDX-License-Identifier: MIT
//
// Waits for an event in any list. Each is read by itself, at once and in no order with the others, because what the
// lists hold of the time before is written over meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/sensors/event_reader.hpp>
#include <string>

#include "sensors/chosen_sensors.hpp"

namespace maxlat::trace_tools {

// Whether this event is one that a pattern PROVIDER:NAME with * and ? names. What a list still holds of the time before
// `since` is none.
bool is_awaited(const sensors::ListedEvent& event, const std::string& pattern, std::uint64_t since_ticks);

// Whether one of these lists has such an event.
bool have_event(const ChosenSensors& chosen, const std::string& pattern);

class EventWatch {
 public:
  EventWatch(std::string pattern, std::uint64_t since_ticks)
      : pattern_(std::move(pattern)), since_ticks_(since_ticks) {}

  // Which lists there are now. Those that are gone are read once more: what a program posted last may be it.
  // REQUIRES: has_come() since the last look.
  void look(const ChosenSensors& chosen);
  // RETURNS: whether it has come by now. Bounded, however fast programs post.
  bool has_come();

 private:
  std::string pattern_;
  std::uint64_t since_ticks_;
  std::map<SensorKey, sensors::EventReader> readers_, ended_;
};

}  // namespace maxlat::trace_tools
