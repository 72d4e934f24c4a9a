// SPDX-License-Identifier: MIT
//
// A sensor's value, for people and for programs.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "sensors/chosen_sensors.hpp"
#include "sensors/list_tails.hpp"

namespace maxlat::trace_tools {

// Nanoseconds in one of these units of time: ns, us, ms, s, ticks:KHZ of a counter. 0: it is none.
double ns_of_unit(std::string_view unit);

// One line, without the name: "4711 packets", "n=10000 min 1.00 us p50 ...".
std::string value_text(const sensors::SensorFacts& facts, const sensors::SensorValue& value);
// What does not fit in a line: labels with their counts, the histogram's bars. Lines, each indented; empty of the rest.
std::string value_details(const sensors::SensorFacts& facts, const sensors::SensorValue& value);
// How often it was posted to, as far as it tells that: a gauge does not.
std::optional<std::uint64_t> posts_of(const sensors::SensorValue& value);
// All of them: names, values, details, and the events of lists.
std::string values_text(const ChosenSensors& chosen, ListTails& tails);
nlohmann::ordered_json value_json(const ChosenSensor& sensor, ListTails& tails);

}  // namespace maxlat::trace_tools
