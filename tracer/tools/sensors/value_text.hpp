// SPDX-License-Identifier: MIT
//
// A sensor's value, for people and for programs: as the row of its kind has it (sensor_show.hpp).
#pragma once

#include <cstdint>
#include <maxlat/trace_tools/sensor_show.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "sensors/chosen_sensors.hpp"
#include "sensors/list_tails.hpp"

namespace maxlat::trace_tools {

// Nanoseconds in one of these units of time: ns, us, ms, s, ticks:KHZ of a counter. 0: it is none.
double ns_of_unit(std::string_view unit);

// A kind that is in no table is of a later version, and has no value.
const SensorShow& show_of(sensors::SensorKind kind);

std::string value_text(const sensors::SensorFacts& facts, const sensors::SensorValue& value);
// How often it was posted to, as far as it tells that: a gauge does not.
std::optional<std::uint64_t> posts_of(const sensors::SensorFacts& facts, const sensors::SensorValue& value);
// All of them: names, values, details, and the events of lists.
std::string values_text(const ChosenSensors& chosen, ListTails& tails);
// What it is; and that with its value.
nlohmann::ordered_json about_json(const ChosenSensor& sensor);
nlohmann::ordered_json value_json(const ChosenSensor& sensor, ListTails& tails);
// For standard output. A byte that is no UTF-8 is replaced.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace maxlat::trace_tools
