// SPDX-License-Identifier: MIT
//
// What the files of the C interface to monitors share: the handle, and how an error is said.
#pragma once

#include <maxlat/sensors/monitor.h>

#include <maxlat/sensors/directory.hpp>
#include <maxlat/sensors/monitor.hpp>
#include <string>
#include <vector>

struct maxlat_monitor {
  struct Sensor {
    const maxlat::sensors::GroupView* group;
    const maxlat::sensors::SensorFacts* facts;
    bool ended;
    maxlat::sensors::SensorValue value;  // as it was read last
  };

  std::vector<maxlat::sensors::KnownGroup> groups;
  std::vector<Sensor> sensors;
};

namespace maxlat::sensors::c {

// Keeps `why` for maxlat_monitor_error(). RETURNS: the result.
int failed(maxlat_monitor_result result, std::string why);
// In a handler: nothing that is thrown leaves, for the caller may be C.
int thrown() noexcept;
int no_such_sensor(const maxlat_monitor& monitor, size_t sensor);

}  // namespace maxlat::sensors::c
