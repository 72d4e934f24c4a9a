// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/trace_tools/sensor_show.hpp>

namespace maxlat::trace_tools {
namespace {

using sensors::CountersValue;

std::uint64_t all_of(const sensors::SensorValue& value) {
  const auto& v = std::get<CountersValue>(value);
  std::uint64_t all = v.outside;
  for (const auto& [label, count] : v.values) all += count;
  return all;
}

std::string counters_line(const sensors::SensorFacts& facts, const sensors::SensorValue& value) {
  return with_unit(all_of(value), facts.unit) + " in all";
}

std::string counters_details(const sensors::SensorFacts&, const sensors::SensorValue& value) {
  const auto& v = std::get<CountersValue>(value);
  std::string text;
  for (const auto& [label, count] : v.values) text += fmt::format("    {:<32} {:>16}\n", label, count);
  if (v.outside != 0) text += fmt::format("    {:<32} {:>16}\n", "(no such index)", v.outside);
  return text;
}

nlohmann::ordered_json counters_json(const sensors::SensorValue& value) {
  const auto& v = std::get<CountersValue>(value);
  nlohmann::ordered_json counts = nlohmann::ordered_json::array();
  for (const auto& [label, count] : v.values) counts.push_back({{"label", label}, {"count", count}});
  return {{"counts", counts}, {"outside", v.outside}};
}

void counters_samples(const sensors::SensorValue& value, const MetricSamples& to) {
  const auto& v = std::get<CountersValue>(value);
  for (const auto& [label, count] : v.values) to.put("_total", "label", label, static_cast<double>(count));
  to.put("_total", "label", "(outside)", static_cast<double>(v.outside));
}

}  // namespace

extern const SensorShow kCountersShow{
    .kind = sensors::SensorKind::counters,
    .line = counters_line,
    .details = counters_details,
    .json = counters_json,
    .posts = all_of,
    .samples = counters_samples,
    .samples_are = core::OpenMetrics::Type::counter,
};

}  // namespace maxlat::trace_tools
