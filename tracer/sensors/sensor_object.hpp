// SPDX-License-Identifier: MIT
//
// A sensor as a monitor has it: the head copied and checked, for each kind that this one knows (sensor_kind.hpp).
// Rules: container.hpp, TRUST. What is behind the head changes, and has the size that the shape asks for.
#pragma once

#include <maxlat/sensors/sensor.h>

#include <maxlat/sensors/sensor_kind.hpp>
#include <string>
#include <vector>

#include "shm/container.hpp"

namespace maxlat::sensors::detail {

struct SensorObject : trace::CheckedObject {
  std::string unit;
  std::string about;
  bool shared = false;
  CheckedSensor sensor;
};

// The kinds of objects that a monitor knows.
std::vector<trace::ObjectKind> sensor_kinds();

// The value of a sensor, read while its program goes on: each word once; of a striped sensor, what its stripes add up
// to. Which words belong together says each kind's header. `sensor`: its beginning in the group's memory.
SensorValue read_sensor(const std::uint8_t* sensor, const CheckedSensor& checked);

// By all that is constant in a sensor: the head, and labels, axes, types of events. What is of a kind that this monitor
// does not know is like nothing.
bool are_made_alike(const trace::ObjectEntry& a, const trace::ContainerMemory& a_memory, const trace::ObjectEntry& b,
                    const trace::ContainerMemory& b_memory);

}  // namespace maxlat::sensors::detail
