// SPDX-License-Identifier: MIT
//
// A sensor as a monitor has it: the head copied and checked, for each kind that this one knows. Rules: container.hpp,
// TRUST. What is behind the head changes, and has the size that the shape asks for.
#pragma once

#include <maxlat/sensors/counters.h>
#include <maxlat/sensors/sensor.h>

#include <cstdint>
#include <maxlat/base/result.hpp>
#include <memory>
#include <span>
#include <string>

#include "shm/container.hpp"

namespace maxlat::sensors::detail {

struct SensorObject : trace::CheckedObject {
  std::string unit;
  std::string about;
  bool shared = false;
  std::uint32_t kind = 0;       // of what is read: of a striped sensor, of its stripes
  std::uint64_t shape[2] = {};  // valid for that kind
  // Where sensors of the kind and shape begin, behind the object's beginning, and how far each is from the next.
  std::uint64_t first = 0, stripes = 1, bytes_of_stripe = 0;
};

// The kinds of objects that a monitor knows.
std::span<const trace::ObjectKind> sensor_kinds();

// By all that is constant in a sensor: the head, and labels, axes, types of events. What is of a kind that this monitor
// does not know is like nothing.
bool are_made_alike(const trace::ObjectEntry& a, const trace::ContainerMemory& a_memory, const trace::ObjectEntry& b,
                    const trace::ContainerMemory& b_memory);

}  // namespace maxlat::sensors::detail
