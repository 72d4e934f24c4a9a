// SPDX-License-Identifier: MIT
// monitor PATTERN: the counters, histograms and last events of these sensors, once.
#include <maxlat/base/moment.hpp>
#include <maxlat/sensors/directory.hpp>
#include <maxlat/sensors/event_reader.hpp>
#include <maxlat/sensors/monitor.hpp>

#include <cstdio>
#include <string>
#include <variant>

namespace sensors = maxlat::sensors;

int main(int argc, char** argv) {
  const auto groups = sensors::known_groups(false);
  if (!groups) {
    std::fprintf(stderr, "%s\n", groups.error().text.c_str());
    return 1;
  }
  for (const auto& [group, ended, ended_ns] : *groups) {
    for (const sensors::SensorFacts& sensor : group.sensors()) {
      if (argc > 1 && !sensors::matches(argv[1], group, sensor)) continue;
      const sensors::SensorValue value = group.read(sensor);
      if (const auto* counter = std::get_if<sensors::CounterValue>(&value))
        std::printf("%s: %llu\n", sensor.name.c_str(), static_cast<unsigned long long>(counter->value));
      if (const auto* histogram = std::get_if<sensors::HistogramValue>(&value))
        std::printf("%s: %llu values, p99 %llu %s\n", sensor.name.c_str(),
                    static_cast<unsigned long long>(histogram->total),
                    static_cast<unsigned long long>(histogram->quantile(0.99)), sensor.unit.c_str());
      if (!sensors::has_events(sensor.kind)) continue;
      sensors::EventReader reader = group.events(sensor);
      sensors::ListedEvent event;
      unsigned long long events = 0;
      for (sensors::EventStep step = sensors::EventStep::again; step != sensors::EventStep::none;) {
        step = reader.next(event, maxlat::base::monotonic_ns());
        if (step == sensors::EventStep::event) ++events;
      }
      std::printf("%s: %llu events are there, %llu overwritten\n", sensor.name.c_str(), events,
                  static_cast<unsigned long long>(reader.books().overwritten));
    }
  }
}
