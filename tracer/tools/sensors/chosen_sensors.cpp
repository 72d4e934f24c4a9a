// SPDX-License-Identifier: MIT
#include "sensors/chosen_sensors.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/core/sys/text.hpp>
#include <set>

namespace maxlat::trace_tools {

std::string ChosenSensor::name() const {
  return fmt::format("{}#{}/{}/{}", group->program(), group->pid(), group->group(), facts->name);
}

bool matches(const std::string& pattern, const std::string& program, int pid, const std::string& group,
             const std::string& name) {
  const std::string instance = fmt::format("{}#{}", program, pid), number = std::to_string(pid);
  const auto is = [&](const std::string& text) { return fnmatch(pattern.c_str(), text.c_str(), FNM_PATHNAME) == 0; };
  if (is(name) || is(group) || is(group + "/" + name)) return true;
  const std::string* const whose[] = {&program, &instance, &number};
  return std::any_of(std::begin(whose), std::end(whose), [&](const std::string* who) {
    return is(*who) || is(*who + "/" + group) || is(*who + "/" + group + "/" + name);
  });
}

core::Result<ChosenSensors> choose_sensors(const std::vector<std::string>& patterns) {
  ChosenSensors chosen;
  std::vector<std::string> refused;
  auto groups = sensors::find_groups(0, &refused);
  if (!groups) return groups.error();
  static std::set<std::string> told;  // a command that looks again and again says it once
  for (const std::string& line : refused)
    if (told.insert(line).second) core::tell("maxlat sensors: {}\n", core::printable(line));
  chosen.groups = std::move(*groups);
  std::vector<bool> used(patterns.size(), false);
  for (const sensors::GroupView& group : chosen.groups) {
    for (const sensors::SensorFacts& facts : group.sensors()) {
      bool wanted = patterns.empty();
      for (std::size_t i = 0; i < patterns.size(); ++i) {
        if (!matches(patterns[i], group.program(), group.pid(), group.group(), facts.name)) continue;
        used[i] = true;
        wanted = true;
      }
      if (wanted) chosen.sensors.push_back({&group, &facts});
    }
  }
  const auto unused = std::find(used.begin(), used.end(), false);
  if (unused != used.end()) {
    return core::Error{fmt::format("no sensor is called \"{}\"", patterns[static_cast<std::size_t>(unused - used.begin())]),
                       "`maxlat sensors list` shows which there are"};
  }
  return chosen;
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
