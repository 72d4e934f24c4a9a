// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>
#include <maxlat/core/sys/utc.hpp>

#include "sensors/chosen_sensors.hpp"
#include "sensors/sensors_commands.hpp"

namespace maxlat::trace_tools {

namespace {

std::string ended_text(const ChosenSensor& sensor) {
  if (sensor.ended_ns == 0) return "ended";
  return "ended " + core::utc_text(std::chrono::nanoseconds(sensor.ended_ns));
}

}  // namespace

core::Result<core::Exit> sensors_list(const core::Arguments& arguments) {
  constexpr core::CommandHelp kHelp{
      "maxlat sensors list [SENSOR ...]",
      "Lists the sensors of running programs: yours, or as root everybody's; and those that a directory keeps.\n"
      "SENSOR is PROGRAM#PID/GROUP/NAME, or whole parts of that (latency, server/latency), with * ? [].",
      "  maxlat sensors list              all of them\n"
      "  maxlat sensors list 'robot/*'    those of one program\n"};
  const auto chosen = choose_sensors(kHelp, arguments, Whose::ended_too);
  if (!chosen) return chosen.error();
  if (!*chosen) return core::Exit::pass;
  if ((*chosen)->sensors.empty()) {
    fmt::print("no program that can be looked at has sensors{}\n", of_other_users());
    return core::Exit::pass;
  }
  const bool some_ended = std::any_of((*chosen)->sensors.begin(), (*chosen)->sensors.end(),
                                      [](const ChosenSensor& sensor) { return sensor.ended; });
  core::TextTable table({"sensor", "kind", "unit", "what it is", some_ended ? "its program" : ""});
  for (const ChosenSensor& sensor : (*chosen)->sensors) {
    table.row({sensor.name(), sensors::word_of(sensor.facts->kind), core::printable(sensor.facts->unit),
               core::printable(sensor.facts->about), sensor.ended ? ended_text(sensor) : ""});
  }
  fmt::print("{}", table.text(UINT_MAX, ""));
  return core::Exit::pass;
}

}  // namespace maxlat::trace_tools
