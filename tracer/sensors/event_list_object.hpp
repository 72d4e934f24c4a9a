// SPDX-License-Identifier: MIT
//
// A list of events as a monitor has it: its shape and the types of its events, copied and checked. Rules:
// container.hpp, TRUST. Slots change all the time; event_list_read.h says what may be believed of them.
#pragma once

#include <maxlat/sensors/event_list_types.h>

#include <cstdint>
#include <deque>
#include <maxlat/base/result.hpp>
#include <maxlat/trace/description.hpp>
#include <memory>
#include <string>
#include <vector>

#include "sensors/sensor_object.hpp"

namespace maxlat::sensors::detail {

struct EventListObject : SensorObject {
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

// Reads the tables of a list whose head and size are checked, and which are in `list` but for them.
base::Status read_event_types(const trace::ObjectEntry& entry, const trace::ContainerMemory& memory,
                              EventListObject& list);

}  // namespace maxlat::sensors::detail
