// SPDX-License-Identifier: MIT
//
// What a kind of sensor is to monitors: its number, and how its words are checked and read. A kind is
//
//   its words and its post   a header of its own, compiled into the programs that have it: an ABI (sensor.h)
//   a definition             one of these, in tracer/sensors/kinds/, and its row in tracer/CMakeLists.txt
//   a show                   what the commands make of its values (maxlat/trace_tools/sensor_show.hpp), and its row
//
// docs/where-to-change-what.md has an example of all three. What C and Python see of a kind is in monitor.h, by hand:
// that interface is an ABI, too.
//
// TRUST. A program may write to its sensors, and to their heads, while they are looked at. What `check` is given was
// copied from the head and checked; of the rest each function copies what selects anything, once, and checks the copy.
// Words are loaded by atomic accesses.
#pragma once

#include <maxlat/sensors/sensor.h>

#include <cstdint>
#include <maxlat/sensors/monitor.hpp>
#include <memory>
#include <vector>

namespace maxlat::sensors {

struct SensorKindDefinition;

// A sensor that was checked.
struct CheckedSensor {
  const SensorKindDefinition* kind = nullptr;  // of what is read: of a striped sensor, of its stripes
  std::uint64_t shape[2] = {};                 // of that, and its size_of() says that there is such a sensor
  // Where sensors of the kind and shape begin, behind the sensor's beginning, and how far each is from the next.
  std::uint64_t first = 0, stripes = 1, bytes_of_stripe = 0;
  std::shared_ptr<const void> kept;  // of its kind's check
};

// Bytes of a sensor, from its beginning.
struct SensorPart {
  std::uint64_t begin = 0, end = 0;
};

struct SensorKindDefinition {
  std::uint32_t number;          // maxlat_sensor_kind, or one of your own (sensor.h)
  const char* word;              // "counter": what people call it
  std::uint32_t layout_version;  // of its words
  // What readers see it as. Kinds that differ in their words alone are one to them, which has the word of the first. A
  // kind that is like none has SensorKind{number}.
  SensorKind kind;

  // The size that a sensor of this shape has. RETURNS: 0: no sensor of the kind has it.
  std::uint64_t (*size_of)(const std::uint64_t (&shape)[2]);
  // What is constant behind the head, checked and kept; null: nothing is. `checked` says what the head says, and is
  // what the functions below are given. RETURNS: what does not fit ("its axes"), or null.
  const char* (*check)(const std::uint8_t* sensor, CheckedSensor& checked) = nullptr;
  // The value now. Bounded, whatever the program does. Null: its sensors are those of another kind, as check() says.
  SensorValue (*read)(const std::uint8_t* sensor, const CheckedSensor& checked) = nullptr;

  // Ends or forgets what others were posting when the sensor was copied; nobody else sees the copy yet. `original`:
  // what it was copied from, to which they may have gone on to post meanwhile; null: the copy is of no one moment.
  // Async-signal-safe. Null: it needs nothing.
  void (*settle)(std::uint8_t* copy, const std::uint8_t* original) = nullptr;
  // Adds a value of the same shape. Null: a striped sensor cannot have it as stripes. REQUIRES: no `check`.
  void (*add_up)(SensorValue& all, const SensorValue& one) = nullptr;
  // What is constant behind the head; by it one knows sensors that are made alike. Null: nothing is.
  SensorPart (*constant_part)(const std::uint64_t (&shape)[2]) = nullptr;
  // The reader of its events, which keeps `memory`; its value is an EventsValue. Null: it has no events.
  EventReader (*events)(std::shared_ptr<const void> memory, const std::uint8_t* sensor, const CheckedSensor& checked,
                        std::uint64_t patience_ns) = nullptr;
};

// Another program may add its own before it looks at any sensor.
std::vector<const SensorKindDefinition*>& sensor_kind_table();
// RETURNS: null: none has this number.
const SensorKindDefinition* find_sensor_kind(std::uint32_t number);

// As `size_of`, of a kind whose sensors have one size.
template <class Words>
std::uint64_t size_without_shape(const std::uint64_t (&)[2]) {
  return sizeof(Words);
}

}  // namespace maxlat::sensors
