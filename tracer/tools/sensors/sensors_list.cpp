// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>
#include <maxlat/core/sys/utc.hpp>

#include "control/control_target.hpp"
#include "sensors/chosen_sensors.hpp"
#include "sensors/sensors_commands.hpp"
#include "sensors/value_text.hpp"

namespace maxlat::trace_tools {

namespace {

std::string ended_text(const ChosenSensor& sensor) {
  if (sensor.ended_ns == 0) return "ended";
  return "ended " + core::utc_text(std::chrono::nanoseconds(sensor.ended_ns));
}

struct TracingSession {
  std::string program;
  int pid = 0;
  std::string name, state;
};

// Of programs with a chosen sensor, or of all. They are asked, as `maxlat trace list` asks them, because the state is
// theirs to say. One that is stopped is waited for as long as a person waits.
std::vector<TracingSession> tracing_sessions(const ChosenSensors& chosen, bool of_all) {
  constexpr std::chrono::seconds kPatience{1};
  std::vector<TracingSession> sessions;
  for (const int pid : trace::listening_processes()) {
    const bool is_one = of_all || std::any_of(chosen.sensors.begin(), chosen.sensors.end(), [pid](const auto& sensor) {
                          return !sensor.ended && sensor.group->pid() == pid;
                        });
    if (!is_one) continue;
    const auto program = ask_program(pid, kPatience);
    if (!program) {
      core::tell("maxlat sensors list: {}: {}\n", pid, program.error().text);
      continue;
    }
    for (const std::string& session : program->sessions) {  // "NAME STATE"
      const std::size_t space = session.rfind(' ');
      sessions.push_back(
          {program->name, pid, session.substr(0, space), space == std::string::npos ? "" : session.substr(space + 1)});
    }
  }
  return sessions;
}

std::string sensors_text(const std::vector<ChosenSensor>& sensors, bool with_ids) {
  if (sensors.empty()) return fmt::format("no program that can be looked at has sensors{}\n", of_other_users());
  const bool some_ended =
      std::any_of(sensors.begin(), sensors.end(), [](const ChosenSensor& sensor) { return sensor.ended; });
  std::vector<std::string> head = {"sensor", "kind", "unit", "what it is", some_ended ? "its program" : ""};
  if (with_ids) head.insert(head.begin() + 1, "#id");
  core::TextTable table(head);
  for (const ChosenSensor& sensor : sensors) {
    std::vector<std::string> row = {sensor.name(), sensors::word_of(sensor.facts->kind),
                                    core::printable(sensor.facts->unit), core::printable(sensor.facts->about),
                                    sensor.ended ? ended_text(sensor) : ""};
    if (with_ids) row.insert(row.begin() + 1, std::to_string(sensor.facts->id));
    table.row(std::move(row));
  }
  return table.text(UINT_MAX, "");
}

std::string sessions_text(const std::vector<TracingSession>& sessions) {
  if (sessions.empty()) return "";
  core::TextTable table({"tracing session", "state"});
  for (const TracingSession& one : sessions)
    table.row({core::printable(fmt::format("{}#{}/{}", one.program, one.pid, one.name)), core::printable(one.state)});
  return "\n" + table.text(UINT_MAX, "");
}

nlohmann::ordered_json as_json(const ChosenSensors& chosen, const std::vector<TracingSession>& sessions) {
  nlohmann::ordered_json all{{"sensors", nlohmann::ordered_json::array()},
                             {"sessions", nlohmann::ordered_json::array()}};
  for (const ChosenSensor& sensor : chosen.sensors) all["sensors"].push_back(about_json(sensor));
  for (const TracingSession& one : sessions)
    all["sessions"].push_back(
        {{"program", one.program}, {"pid", one.pid}, {"session", one.name}, {"state", one.state}});
  return all;
}

}  // namespace

core::Result<core::Exit> sensors_list(const core::Arguments& arguments) {
  constexpr core::CommandHelp kHelp{
      "maxlat sensors list [SENSOR ...]",
      "Lists the sensors of running programs: yours, or as root everybody's; and those that a directory keeps.\n"
      "Below them the tracing sessions that `maxlat trace list` shows: of these programs, without SENSOR of all.\n"
      "SENSOR is PROGRAM#PID/GROUP/NAME, or whole parts of that (latency, server/latency), with * ? []. NAME may be\n"
      "#ID, a number that -v shows.",
      "  maxlat sensors list              all of them\n"
      "  maxlat sensors list 'robot/*'    those of one program\n"};
  boost::program_options::options_description options("Options");
  auto add = options.add_options();
  add("json", "a JSON object on standard output");
  add("verbose,v", "also the number that each sensor has in its group");
  add("help,h", "this text");
  const auto line = core::parse_or_help(kHelp, options, arguments);
  if (!line) return line.error();
  if (!*line) return core::Exit::pass;
  const auto chosen = choose_sensors((*line)->operands, Looks::once, Whose::ended_too);
  if (!chosen) return chosen.error();
  const std::vector<TracingSession> sessions = tracing_sessions(*chosen, (*line)->operands.empty());
  if ((*line)->has("json"))
    fmt::print("{}", json_text(as_json(*chosen, sessions)));
  else
    fmt::print("{}{}", sensors_text(chosen->sensors, (*line)->has("verbose")), sessions_text(sessions));
  return core::Exit::pass;
}

}  // namespace maxlat::trace_tools
