// SPDX-License-Identifier: MIT
//
// peak, for people and other programs.
#include <fmt/format.h>

#include <maxlat/trace_tools/sensor_show.hpp>

#include "peak.hpp"

namespace maxlat::trace_tools {
namespace {

const PeakValue& peak_of(const sensors::SensorValue& value) {
  return *sensors::own_value<PeakValue>(value);
}

}  // namespace

extern const SensorShow kPeakShow{
    .kind = sensors::SensorKind{kPeakNumber},
    .line =
        [](const sensors::SensorFacts& facts, const sensors::SensorValue& value) {
          const PeakValue& peak = peak_of(value);
          return fmt::format("{} at most, of {}", with_unit(peak.largest, facts.unit), peak.posts);
        },
    .json = [](const sensors::SensorValue& value) -> nlohmann::ordered_json {
      const PeakValue& peak = peak_of(value);
      return {{"largest", peak.largest}, {"count", peak.posts}, {"limit", peak.limit}};
    },
    .posts = [](const sensors::SensorValue& value) { return peak_of(value).posts; },
    .samples = [](const sensors::SensorValue& value,
                  const MetricSamples& to) { to.put("", static_cast<double>(peak_of(value).largest)); },
    .posts_are_counted = true,
    .within =
        [](const sensors::SensorValue& value) {
          const PeakValue& peak = peak_of(value);
          return peak.largest <= peak.limit ? Within::inside : Within::outside;
        },
};

}  // namespace maxlat::trace_tools
