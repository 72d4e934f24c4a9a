// SPDX-License-Identifier: MIT
//
// What the commands make of the values of a kind of sensor. Adding one is a file in tracer/tools/sensors/kinds/ that
// defines one of these, and a row in tracer/tools/CMakeLists.txt; its other half is a SensorKindDefinition
// (maxlat/sensors/sensor_kind.hpp). docs/where-to-change-what.md has an example of both.
//
// Each function is given values of its kind, which are all that its definition reads. The last events of a kind that
// has events are shown by the commands themselves, behind what stands here.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/open_metrics.hpp>
#include <maxlat/sensors/monitor.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::trace_tools {

// Where the samples of a sensor go: its labels, and the factor to its base unit.
struct MetricSamples {
  core::OpenMetrics& metrics;
  const core::OpenMetrics::Labels& labels;
  double factor;

  // `suffix`: as OpenMetrics has it. The value is in the sensor's unit.
  void put(std::string_view suffix, double value) const { metrics.sample(suffix, labels, value * factor); }
  // With a label more, of this sensor's.
  void put(std::string_view suffix, const std::string& label, const std::string& is, double value) const {
    put_count(suffix, label, is, value * factor);
  }
  // In no unit.
  void put_count(std::string_view suffix, double count) const { metrics.sample(suffix, labels, count); }
  void put_count(std::string_view suffix, const std::string& label, const std::string& is, double count) const;
};

// Whether a value is within the limits that its program gave it.
enum class Within { no_limits, inside, outside };

struct SensorShow {
  sensors::SensorKind kind;

  // One line, without the name: "4711 packets", "n=10000 min 1.00 us p50 ...".
  std::string (*line)(const sensors::SensorFacts& facts, const sensors::SensorValue& value);
  // What does not fit in a line: lines, each indented. Null: nothing.
  std::string (*details)(const sensors::SensorFacts& facts, const sensors::SensorValue& value) = nullptr;
  nlohmann::ordered_json (*json)(const sensors::SensorValue& value);
  // How often it was posted to. Null: it does not tell.
  std::uint64_t (*posts)(const sensors::SensorValue& value) = nullptr;

  // A monitoring system's (metrics/sensor_metrics.hpp). Null: it sees none of it.
  void (*samples)(const sensors::SensorValue& value, const MetricSamples& to) = nullptr;
  core::OpenMetrics::Type samples_are = core::OpenMetrics::Type::gauge;
  bool posts_are_counted = false;  // by a counter beside them

  // `sensors check`'s. Null: there is nothing to judge.
  Within (*within)(const sensors::SensorValue& value) = nullptr;
};

// Another program may add its own before it runs a command.
std::vector<const SensorShow*>& sensor_show_table();

// A number with its unit: a time as "1.50 us", others as "42 packets".
std::string with_unit(std::uint64_t number, const std::string& unit);
std::string with_unit(std::int64_t number, const std::string& unit);
std::string mean_text(double mean, const std::string& unit);

}  // namespace maxlat::trace_tools
