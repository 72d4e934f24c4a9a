// SPDX-License-Identifier: MIT
//
// A list of events as a monitor has it: its shape and the types of its events, copied and checked. Rules:
// container.hpp, TRUST. Slots change all the time; event_list_read.h says what may be believed of them.
#pragma once

#include <maxlat/sensors/event_list_types.h>

#include <cstdint>
#include <deque>
#include <maxlat/sensors/event_reader.hpp>
#include <maxlat/sensors/sensor_kind.hpp>
#include <maxlat/trace/description.hpp>
#include <memory>
#include <string>
#include <vector>

namespace maxlat::sensors::detail {

struct EventListObject {
  // As a kind of sensor has them (sensor_kind.hpp): one of these is kept, and then used.
  static const char* check(const std::uint8_t* sensor, CheckedSensor& checked);
  static EventReader events_of(std::shared_ptr<const void> memory, const std::uint8_t* sensor,
                               const CheckedSensor& checked, std::uint64_t patience_ns);

  // Of tables that say what `form` says. RETURNS: false: something does not fit.
  bool read_types(const std::uint8_t* tables);

  maxlat_event_shape form{};                    // valid
  std::vector<trace::EventDescription> events;  // as the slots number them
  // What those point into.
  std::deque<std::string> names;
  std::deque<std::vector<trace::Field>> fields;
  std::deque<std::vector<trace::Label>> labels;
};

// The size of a list of this shape; 0: no list has it.
std::uint64_t size_of_event_list(const std::uint64_t (&shape)[2]);
std::uint64_t size_of_var_event_list(const std::uint64_t (&shape)[2]);

}  // namespace maxlat::sensors::detail
