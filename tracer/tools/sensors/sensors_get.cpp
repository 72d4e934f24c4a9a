// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>
#include <maxlat/core/sys/cli_kit.hpp>

#include "sensors/chosen_sensors.hpp"
#include "sensors/sensors_commands.hpp"
#include "sensors/value_text.hpp"

namespace maxlat::trace_tools {
namespace {

std::string as_json(const ChosenSensors& chosen, ListTails& tails) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ChosenSensor& sensor : chosen.sensors) all.push_back(value_json(sensor, tails));
  return json_text(all);
}

}  // namespace

core::Result<core::Exit> sensors_get(const core::Arguments& arguments) {
  constexpr core::CommandHelp kHelp{
      "maxlat sensors get [SENSOR ...]",
      "Prints the values of sensors now, and the last events of lists; of programs that have ended, too, where a\n"
      "directory keeps them.\n"
      "SENSOR is PROGRAM#PID/GROUP/NAME, or whole parts of that (latency, server/latency), with * ? [].",
      "  maxlat sensors get                         all that can be seen\n"
      "  maxlat sensors get --json robot/latency    one, for a program\n"
      "  maxlat sensors get --events 1000 steps     the last thousand of a list\n"};
  boost::program_options::options_description options("Options");
  auto add = options.add_options();
  add("json", "a JSON list on standard output");
  add_events_option(options);
  add("help,h", "this text");
  const auto line = core::parse_or_help(kHelp, options, arguments);
  if (!line) return line.error();
  if (!*line) return core::Exit::pass;
  const auto chosen = choose_sensors((*line)->operands, Looks::once, Whose::ended_too);
  if (!chosen) return chosen.error();
  ListTails tails({.most = (*line)->get<std::uint64_t>("events")});
  fmt::print("{}", (*line)->has("json") ? as_json(*chosen, tails) : values_text(*chosen, tails));
  return core::Exit::pass;
}

}  // namespace maxlat::trace_tools
