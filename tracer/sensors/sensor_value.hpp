// SPDX-License-Identifier: MIT
//
// The value of a sensor, read while its program goes on: each word once; of a striped sensor, what its stripes add up
// to. Which words belong together says each kind's header.
#pragma once

#include <cstdint>
#include <maxlat/sensors/monitor.hpp>

#include "sensors/sensor_object.hpp"

namespace maxlat::sensors::detail {

// `object`: its beginning in the group's memory, which has what `facts` was checked against. RETURNS: std::monostate:
// of a kind that has no value here.
SensorValue read_value(const std::uint8_t* object, const SensorObject& facts);

}  // namespace maxlat::sensors::detail
