// SPDX-License-Identifier: MIT
#include "sensors/chosen_sensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/starvation.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <set>

namespace maxlat::trace_tools {

std::string ChosenSensor::name() const {
  return fmt::format("{}#{}/{}/{}", group->program(), group->pid(), group->group(), facts->name);
}

namespace {

// Everybody's that can be seen. Those that cannot be read are told of once.
core::Result<std::vector<sensors::GroupView>> groups_now() {
  std::vector<std::string> refused;
  auto groups = sensors::find_groups(0, &refused);
  static std::set<std::string> told;
  for (const std::string& line : refused)
    if (told.insert(line).second) core::tell("maxlat sensors: {}\n", core::printable(line));
  return groups;
}

// `used`: of each pattern, whether something matches it.
ChosenSensors choose_of(std::vector<sensors::GroupView> groups, const std::vector<std::string>& patterns,
                        std::vector<bool>& used) {
  ChosenSensors chosen;
  chosen.groups = std::move(groups);
  used.assign(patterns.size(), false);
  for (const sensors::GroupView& group : chosen.groups) {
    for (const sensors::SensorFacts& facts : group.sensors()) {
      bool wanted = patterns.empty();
      for (std::size_t i = 0; i < patterns.size(); ++i) {
        if (!sensors::matches(patterns[i], group, facts)) continue;
        used[i] = true;
        wanted = true;
      }
      if (wanted) chosen.sensors.push_back({&group, &facts});
    }
  }
  return chosen;
}

// Of who started it; 0: it is not there any more.
int parent_of(int pid) {
  const auto text = core::read_file(fmt::format("/proc/{}/stat", pid));
  const auto task = text ? core::parse_task_stat(*text) : std::nullopt;
  return task ? task->parent : 0;
}

}  // namespace

core::Result<ChosenSensors> choose_sensors(const std::vector<std::string>& patterns) {
  auto groups = groups_now();
  if (!groups) return groups.error();
  std::vector<bool> used;
  ChosenSensors chosen = choose_of(std::move(*groups), patterns, used);
  const auto unused = std::find(used.begin(), used.end(), false);
  if (unused == used.end()) return chosen;
  return core::Error{
      fmt::format("no sensor is called \"{}\"", patterns[static_cast<std::size_t>(unused - used.begin())]),
      "`maxlat sensors list` shows which there are"};
}

core::Result<ChosenSensors> sensors_now(const std::vector<std::string>& patterns) {
  auto groups = groups_now();
  if (!groups) return groups.error();
  std::vector<bool> used;
  return choose_of(std::move(*groups), patterns, used);
}

bool StartedPrograms::is_one(int pid) {
  std::vector<int> line;
  for (int one = pid; one > 1; one = parent_of(one)) {
    line.push_back(one);
    if (!known_.contains(one)) continue;
    known_.insert(line.begin(), line.end());
    return true;
  }
  return false;
}

core::Result<ChosenSensors> StartedPrograms::sensors_now(const std::vector<std::string>& patterns) {
  auto groups = groups_now();
  if (!groups) return groups.error();
  std::erase_if(*groups, [this](const sensors::GroupView& group) { return !is_one(group.pid()); });
  std::vector<bool> used;
  return choose_of(std::move(*groups), patterns, used);
}

core::Result<std::optional<ChosenSensors>> choose_sensors(const core::CommandHelp& help,
                                                          const core::Arguments& arguments) {
  boost::program_options::options_description options("Options");
  options.add_options()("help,h", "this text");
  const auto line = core::parse_or_help(help, options, arguments);
  if (!line) return line.error();
  if (!*line) return std::optional<ChosenSensors>{};
  auto chosen = choose_sensors((*line)->operands);
  if (!chosen) return chosen.error();
  return std::optional<ChosenSensors>(std::move(*chosen));
}

}  // namespace maxlat::trace_tools
