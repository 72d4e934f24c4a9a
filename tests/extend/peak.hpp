// SPDX-License-Identifier: MIT
//
// peak: the largest value that was posted, and how many were. Words and post, for the programs that have it; and its
// value, for those that read it.
#pragma once

#include <maxlat/sensors/word.h>

#include <maxlat/sensors/monitor.hpp>
#include <maxlat/sensors/sensors.hpp>

inline constexpr std::uint16_t kPeakNumber = MAXLAT_SENSOR_YOURS + 1, kPeakVersion = 1;

// The shape is {the largest that is allowed, 0}.
struct PeakWords {
  maxlat_sensor sensor;
  std::uint64_t largest;
  std::uint64_t posts;
  std::uint64_t unused[6];
};

class Peak {
 public:
  constexpr Peak(const maxlat::sensors::Name& name, const maxlat::sensors::Unit& unit, std::uint64_t limit)
      : words_{.sensor = maxlat::sensors::sensor_head(kPeakNumber, kPeakVersion, sizeof(PeakWords),
                                                      MAXLAT_SENSOR_SHARED, name, unit, "", {limit, 0}),
               .largest = 0,
               .posts = 0,
               .unused = {}} {}
  void post(std::uint64_t value) {
    maxlat_sensor_raise(MAXLAT_SENSOR_SHARED, MAXLAT_SENSOR_UNSIGNED, &words_.largest, value);
    maxlat_sensor_add(MAXLAT_SENSOR_SHARED, &words_.posts, 1);
  }

 private:
  PeakWords words_;
};

struct PeakValue : maxlat::sensors::OwnValue {
  std::uint64_t largest = 0, posts = 0, limit = 0;
};
