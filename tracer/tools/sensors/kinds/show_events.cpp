// SPDX-License-Identifier: MIT
// Of lists of events, of both forms, what is beside their last events.
#include <fmt/format.h>

#include <maxlat/trace_tools/sensor_show.hpp>

namespace maxlat::trace_tools {
namespace {

using sensors::EventsValue;

std::string list_line(const sensors::SensorFacts&, const sensors::SensorValue& value) {
  const auto& v = std::get<EventsValue>(value);
  std::string text = fmt::format("{} posts", v.posts);
  if (v.posts > v.slots || v.bytes != 0) text += fmt::format(", and places for the last {}", v.slots);
  if (v.bytes != 0) text += fmt::format(" that have {} bytes together", v.bytes);
  if (v.refused != 0) text += fmt::format(" ({} were too large)", v.refused);
  return text;
}

nlohmann::ordered_json list_json(const sensors::SensorValue& value) {
  const auto& v = std::get<EventsValue>(value);
  nlohmann::ordered_json json{{"posts", v.posts}, {"slots", v.slots}};
  if (v.bytes != 0) json.update({{"bytes", v.bytes}, {"refused", v.refused}});
  return json;
}

std::uint64_t list_posts(const sensors::SensorValue& value) {
  return std::get<EventsValue>(value).posts;
}

}  // namespace

extern const SensorShow kEventsShow{
    .kind = sensors::SensorKind::events,
    .line = list_line,
    .json = list_json,
    .posts = list_posts,
    .samples = [](const sensors::SensorValue& value,
                  const MetricSamples& to) { to.put_count("_total", static_cast<double>(list_posts(value))); },
    .samples_are = core::OpenMetrics::Type::counter,
};

}  // namespace maxlat::trace_tools
