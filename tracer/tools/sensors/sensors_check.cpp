// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>

#include "sensors/chosen_sensors.hpp"
#include "sensors/sensors_commands.hpp"
#include "sensors/value_text.hpp"

namespace maxlat::trace_tools {

core::Result<core::Exit> sensors_check(const core::Arguments& arguments) {
  constexpr core::CommandHelp kHelp{
      "maxlat sensors check [SENSOR ...]",
      "Says which gauges are outside of the limits that their program gave them.\n"
      "Exit status: 0 none is, 2 some are, 1 there is no gauge to look at.",
      "  maxlat sensors check                  all that can be seen\n"
      "  maxlat sensors check 'robot/queue'    one\n"};
  const auto chosen = choose_sensors(kHelp, arguments);
  if (!chosen) return chosen.error();
  if (!*chosen) return core::Exit::pass;
  std::size_t gauges = 0, outside = 0;
  for (const ChosenSensor& sensor : (*chosen)->sensors) {
    const sensors::SensorValue value = sensor.value();
    const auto* gauge = std::get_if<sensors::GaugeValue>(&value);
    if (gauge == nullptr) continue;
    ++gauges;
    if (gauge->within()) continue;
    ++outside;
    fmt::print("{}: {}\n", sensor.name(), value_text(*sensor.facts, value));
  }
  if (gauges == 0) return core::Error{"there is no gauge to check", "`maxlat sensors list` shows which sensors there are"};
  fmt::print("{} of {} gauges are within their limits\n", gauges - outside, gauges);
  return outside == 0 ? core::Exit::pass : core::Exit::limit_exceeded;
}

}  // namespace maxlat::trace_tools
