// SPDX-License-Identifier: MIT
#include "sensors/recording/event_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/base/moment.hpp>
#include <utility>

#include "read/read_filter.hpp"

namespace maxlat::trace_tools {

namespace {

bool is_named(const trace::EventDescription& event, const std::string& pattern) {
  return event_matches(pattern, fmt::format("{}:{}", event.provider, event.name));
}

}  // namespace

bool is_awaited(const sensors::ListedEvent& event, const std::string& pattern, std::uint64_t since_ticks) {
  return !pattern.empty() && event.type != nullptr && event.ticks >= since_ticks && is_named(*event.type, pattern);
}

bool have_event(const ChosenSensors& chosen, const std::string& pattern) {
  return std::any_of(chosen.sensors.begin(), chosen.sensors.end(), [&](const ChosenSensor& sensor) {
    if (!sensors::has_events(sensor.facts->kind)) return false;
    const sensors::EventReader reader = sensor.group->events(*sensor.facts);
    const auto& types = reader.types();
    return std::any_of(types.begin(), types.end(), [&](const auto& type) { return is_named(type, pattern); });
  });
}

void EventWatch::look(const ChosenSensors& chosen) {
  std::map<SensorKey, sensors::EventReader> now;
  for (const ChosenSensor& sensor : chosen.sensors) {
    if (!sensors::has_events(sensor.facts->kind)) continue;
    auto known = readers_.extract(sensor.key());
    if (known.empty())
      now.emplace(sensor.key(), sensor.group->events(*sensor.facts));
    else
      now.insert(std::move(known));
  }
  ended_ = std::exchange(readers_, std::move(now));
}

bool EventWatch::has_come() {
  bool come = false;
  for (auto* const readers : {&readers_, &ended_})
    for (auto& [key, reader] : *readers)
      reader.read_all(base::monotonic_ns(), false, [&](const sensors::ListedEvent& event) {
        come = come || is_awaited(event, pattern_, since_ticks_);
      });
  return come;
}

}  // namespace maxlat::trace_tools
