// SPDX-License-Identifier: MIT
//
// A map: values over two others, in cells of one size along each axis; each cell has how many there were and their sum.
//
//   maxlat::sensors::Map<maxlat::sensors::Cells{.low = 0, .width = 16, .count = 25},
//                        maxlat::sensors::Cells{.low = 0, .width = 16, .count = 25}>
//       copies{"copies", "ns", {"width", "px"}, {"height", "px"}, "time to copy a rectangle"};
//
//   drawing->copies.post(width, height, ns);
//
// The unit of the sensor is that of the values. MEMORY: 16 bytes a cell; it lies in the program's file, too.
// COST, words, and what a monitor may see of a post that is under way: map.h. ERRORS, THREADS, SIGNALS: sensors.hpp.
#pragma once

#include <maxlat/sensors/map.h>

#include <cstddef>
#include <cstdint>
#include <maxlat/sensors/sensors.hpp>

namespace maxlat::sensors {

// What is counted along an axis.
struct MapAxis {
  Text<MAXLAT_SENSOR_NAME> name;
  Unit unit = "";
};

template <Cells kX, Cells kY, maxlat_sensor_writers kWriters>
class MapOf {
  static constexpr std::size_t kCells = kX.count * kY.count;
  static_assert(maxlat_linear_valid(kX.axis()) && maxlat_linear_valid(kY.axis()) && kCells <= MAXLAT_MAP_MAX_CELLS,
                "cells of a width from 1 to 2^40, and 2^20 of them at most");

 public:
  constexpr MapOf(const Name& name, const Unit& unit, const MapAxis& x, const MapAxis& y, const About& about = "")
      : words_{.sensor = sensor_head(MAXLAT_SENSOR_MAP, MAXLAT_MAP_VERSION, maxlat_map_size(kCells), kWriters, name,
                                     unit, about, {kX.count, kY.count}),
               .outside = 0,
               .unused = {},
               .x = axis_of(kX, x),
               .y = axis_of(kY, y)} {
    static_assert(sizeof(MapOf) == maxlat_map_size(kCells));
  }

  void post(std::uint64_t x, std::uint64_t y, std::uint64_t value) {
    maxlat_map_post(kWriters, &words_, cells_, kX.axis(), kY.axis(), x, y, value);
  }

 private:
  static constexpr maxlat_map_axis axis_of(const Cells& cells, const MapAxis& axis) {
    maxlat_map_axis made{};
    made.low = cells.low;
    made.width = cells.width;
    for (std::size_t i = 0; i < sizeof made.name; ++i) made.name[i] = axis.name.bytes[i];
    for (std::size_t i = 0; i < sizeof made.unit; ++i) made.unit[i] = axis.unit.bytes[i];
    return made;
  }

  maxlat_map words_;
  alignas(64) maxlat_map_cell cells_[kCells]{};
};

template <Cells kX, Cells kY>
using Map = MapOf<kX, kY, kThread>;
template <Cells kX, Cells kY>
using SharedMap = MapOf<kX, kY, kShared>;

}  // namespace maxlat::sensors
