// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/trace_tools/sensor_show.hpp>
#include <utility>

namespace maxlat::trace_tools {
namespace {

using sensors::StatValue;

// REQUIRES: there was a value.
double mean_of(const StatValue& v) {
  return static_cast<double>(static_cast<std::int64_t>(v.sum)) / static_cast<double>(v.count);
}

std::string stat_line(const sensors::SensorFacts& facts, const sensors::SensorValue& value) {
  const auto& v = std::get<StatValue>(value);
  if (v.count == 0) return "no value yet";
  const std::string& unit = facts.unit;
  return fmt::format("{} (min {}, mean {}, max {}, of {}){}", with_unit(v.value, unit), with_unit(v.min, unit),
                     mean_text(mean_of(v), unit), with_unit(v.max, unit), v.count,
                     v.settled ? "" : " (while a post was under way)");
}

nlohmann::ordered_json stat_json(const sensors::SensorValue& value) {
  const auto& v = std::get<StatValue>(value);
  nlohmann::ordered_json json{{"count", v.count}, {"settled", v.settled}};
  if (v.count != 0)
    json.update({{"value", v.value}, {"min", v.min}, {"max", v.max}, {"sum", static_cast<std::int64_t>(v.sum)}});
  return json;
}

void stat_samples(const sensors::SensorValue& value, const MetricSamples& to) {
  const auto& v = std::get<StatValue>(value);
  if (v.count == 0) return;
  for (const auto& [name, number] :
       {std::pair{"last", v.value}, {"min", v.min}, {"max", v.max}, {"sum", static_cast<std::int64_t>(v.sum)}})
    to.put("", "of", name, static_cast<double>(number));
  to.put("", "of", "mean", mean_of(v));
}

}  // namespace

extern const SensorShow kStatShow{
    .kind = sensors::SensorKind::stat,
    .line = stat_line,
    .json = stat_json,
    .posts = [](const sensors::SensorValue& value) { return std::get<StatValue>(value).count; },
    .samples = stat_samples,
    .posts_are_counted = true,
};

}  // namespace maxlat::trace_tools
