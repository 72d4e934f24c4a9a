// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/trace_tools/sensor_show.hpp>

namespace maxlat::trace_tools {
namespace {

using sensors::GaugeValue;

std::string gauge_line(const sensors::SensorFacts& facts, const sensors::SensorValue& value) {
  const auto& v = std::get<GaugeValue>(value);
  return with_unit(v.value, facts.unit) +
         (v.within() ? "" : fmt::format(" (outside of {} to {})", v.lowest, v.highest));
}

nlohmann::ordered_json gauge_json(const sensors::SensorValue& value) {
  const auto& v = std::get<GaugeValue>(value);
  return {{"value", v.value}, {"lowest", v.lowest}, {"highest", v.highest}, {"within", v.within()}};
}

Within gauge_within(const sensors::SensorValue& value) {
  const auto& v = std::get<GaugeValue>(value);
  if (!v.has_limits()) return Within::no_limits;
  return v.within() ? Within::inside : Within::outside;
}

}  // namespace

extern const SensorShow kGaugeShow{
    .kind = sensors::SensorKind::gauge,
    .line = gauge_line,
    .json = gauge_json,
    .samples = [](const sensors::SensorValue& value,
                  const MetricSamples& to) { to.put("", static_cast<double>(std::get<GaugeValue>(value).value)); },
    .within = gauge_within,
};

}  // namespace maxlat::trace_tools
