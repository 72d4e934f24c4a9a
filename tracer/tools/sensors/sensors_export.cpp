// SPDX-License-Identifier: MIT
//
// A family of metrics for each GROUP_NAME, whichever programs have it; program and process are labels. A family has its
// samples together, so what is found is sorted by that name first.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <maxlat/core/sys/open_metrics.hpp>

#include "sensors/chosen_sensors.hpp"
#include "sensors/sensors_commands.hpp"
#include "sensors/value_text.hpp"

namespace maxlat::trace_tools {
namespace {

using core::OpenMetrics;
using Labels = OpenMetrics::Labels;

// Those that the format has for names, so that two names that become one are one family, and a family ends in its unit.
std::string letters_of(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c >= 0x80 || std::isalnum(c) == 0; }, '_');
  return text;
}

struct Unit {
  std::string name;
  double factor = 1;
};
// Base units, as monitoring systems have them.
Unit base_unit(const std::string& unit) {
  if (const double ns = ns_of_unit(unit); ns != 0) return {"seconds", ns / 1e9};
  return {letters_of(unit), 1};
}

Labels with(Labels labels, const std::string& name, const std::string& value) {
  labels.emplace_back(name, value);
  return labels;
}

OpenMetrics::Type type_of(sensors::SensorKind kind) {
  switch (kind) {
    case sensors::SensorKind::counter:
    case sensors::SensorKind::counters:
    case sensors::SensorKind::events:
      return OpenMetrics::Type::counter;
    case sensors::SensorKind::histogram:
      return OpenMetrics::Type::histogram;
    default:
      return OpenMetrics::Type::gauge;
  }
}

struct Samples {
  OpenMetrics& metrics;
  const Labels& labels;
  double factor;

  void operator()(std::monostate) const {}
  void operator()(const sensors::CounterValue& v) const {
    metrics.sample("_total", labels, static_cast<double>(v.value) * factor);
  }
  void operator()(const sensors::GaugeValue& v) const {
    metrics.sample("", labels, static_cast<double>(v.value) * factor);
  }
  void operator()(const sensors::StatValue& v) const {
    if (v.count == 0) return;
    for (const auto& [name, value] : {std::pair{"last", v.value}, {"min", v.min}, {"max", v.max}})
      metrics.sample("", with(labels, "of", name), static_cast<double>(value) * factor);
    metrics.sample("", with(labels, "of", "mean"),
                   static_cast<double>(static_cast<std::int64_t>(v.sum)) / static_cast<double>(v.count) * factor);
  }
  void operator()(const sensors::CountersValue& v) const {
    for (const auto& [label, count] : v.values)
      metrics.sample("_total", with(labels, "label", label), static_cast<double>(count) * factor);
    metrics.sample("_total", with(labels, "label", "(outside)"), static_cast<double>(v.outside) * factor);
  }
  // Only buckets with something in them: bounds may be left out, and most would be.
  void operator()(const sensors::HistogramValue& v) const {
    std::uint64_t seen = v.below;
    for (std::uint32_t i = 0; i < v.buckets.size(); ++i) {
      if (v.buckets[i] == 0) continue;
      seen += v.buckets[i];
      const double bound = static_cast<double>(v.high_of(i)) * factor;
      metrics.sample("_bucket", with(labels, "le", fmt::format("{}", bound)), static_cast<double>(seen));
    }
    metrics.sample("_bucket", with(labels, "le", "+Inf"), static_cast<double>(v.total));
    // These two go together. Of buckets alone there is no sum.
    if (!v.has_moments && v.total != 0) return;
    metrics.sample("_count", labels, static_cast<double>(v.total));
    metrics.sample("_sum", labels, static_cast<double>(v.sum) * factor);
  }
  void operator()(const sensors::MapValue&) const {}
  void operator()(const sensors::EventsValue& v) const {
    metrics.sample("_total", labels, static_cast<double>(v.posts));
  }
};

using Families = std::map<std::string, std::vector<const ChosenSensor*>>;

std::string family_of(const ChosenSensor& sensor) {
  const std::string unit = base_unit(sensor.facts->unit).name;
  return letters_of(fmt::format("{}_{}", sensor.group->group(), sensor.facts->name)) + (unit.empty() ? "" : "_" + unit);
}

Families families_of(const ChosenSensors& chosen) {
  Families families;
  for (const ChosenSensor& sensor : chosen.sensors) {
    std::string name = family_of(sensor);
    // Two kinds under one name, in two programs, are two families.
    for (auto there = families.find(name);
         there != families.end() && there->second.front()->facts->kind != sensor.facts->kind;
         there = families.find(name))
      name = fmt::format("{}_{}", sensors::word_of(sensor.facts->kind), name);
    families[name].push_back(&sensor);
  }
  return families;
}

std::string metrics_of(const ChosenSensors& chosen) {
  OpenMetrics metrics;
  for (const auto& [name, members] : families_of(chosen)) {
    const sensors::SensorFacts& first = *members.front()->facts;
    // Each cell of a map would be a time series.
    if (first.kind == sensors::SensorKind::unknown || first.kind == sensors::SensorKind::map) continue;
    metrics.family(name, type_of(first.kind), base_unit(first.unit).name, first.about);
    for (const ChosenSensor* sensor : members) {
      const Labels labels{{"program", sensor->group->program()},
                          {"pid", std::to_string(sensor->group->pid())},
                          {"sensor", fmt::format("{}/{}", sensor->group->group(), sensor->facts->name)}};
      std::visit(Samples{metrics, labels, base_unit(sensor->facts->unit).factor}, sensor->value());
    }
  }
  return metrics.text();
}

}  // namespace

core::Result<core::Exit> sensors_export(const core::Arguments& arguments) {
  constexpr core::CommandHelp kHelp{
      "maxlat sensors export [SENSOR ...]",
      "Prints the values of sensors as OpenMetrics 1.0 text.\n"
      "SENSOR is PROGRAM#PID/GROUP/NAME, or whole parts of that (latency, server/latency), with * ? [].\n"
      "Times are in seconds. Maps are left out, they have a value for each cell.",
      "  maxlat sensors export > sensors.prom      for a node exporter's folder of text files\n"
      "  maxlat sensors export 'robot/*'           those of one program\n"};
  const auto chosen = choose_sensors(kHelp, arguments);
  if (!chosen) return chosen.error();
  if (!*chosen) return core::Exit::pass;
  fmt::print("{}", metrics_of(**chosen));
  return core::Exit::pass;
}

}  // namespace maxlat::trace_tools
