// SPDX-License-Identifier: MIT
#include "sensors/merged_lists.hpp"

#include <maxlat/base/counter.h>

#include <iterator>
#include <maxlat/base/clock.hpp>

namespace maxlat::trace_tools {

MergedLists::MergedLists(std::chrono::nanoseconds patience)
    : merge_({.patience = base::calibrate().to_ticks(static_cast<std::uint64_t>(patience.count()))}) {}

void MergedLists::look(const ChosenSensors& chosen) {
  std::map<SensorKey, std::size_t> now;
  for (const ChosenSensor& sensor : chosen.sensors) {
    if (!sensors::has_events(sensor.facts->kind)) continue;
    const SensorKey key = sensor.key();
    const auto known = numbers_.extract(key);
    if (!known.empty()) {
      now[key] = known.mapped();
      continue;
    }
    now[key] = merge_.add(*sensor.group, *sensor.facts);
    lists_.push_back({sensor.name(), sensor.group->program(), sensor.group->pid(), sensor.group->group(),
                      sensor.facts->name, sensor.group->uuid()});
  }
  for (const auto& [key, number] : numbers_) merge_.end(number);
  numbers_ = std::move(now);
}

void MergedLists::round(const sensors::EventMerge::Take& take) {
  merge_.round(maxlat_counter_plain(), take);
}

}  // namespace maxlat::trace_tools
