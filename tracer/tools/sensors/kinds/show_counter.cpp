// SPDX-License-Identifier: MIT
#include <maxlat/trace_tools/sensor_show.hpp>

namespace maxlat::trace_tools {
namespace {

std::uint64_t count_of(const sensors::SensorValue& value) {
  return std::get<sensors::CounterValue>(value).value;
}

}  // namespace

extern const SensorShow kCounterShow{
    .kind = sensors::SensorKind::counter,
    .line = [](const sensors::SensorFacts& facts,
               const sensors::SensorValue& value) { return with_unit(count_of(value), facts.unit); },
    .json = [](const sensors::SensorValue& value) -> nlohmann::ordered_json {
      return {{"count", count_of(value)}};
    },
    .posts = count_of,
    .samples = [](const sensors::SensorValue& value,
                  const MetricSamples& to) { to.put("_total", static_cast<double>(count_of(value))); },
    .samples_are = core::OpenMetrics::Type::counter,
};

}  // namespace maxlat::trace_tools
