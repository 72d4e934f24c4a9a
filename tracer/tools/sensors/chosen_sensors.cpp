// SPDX-License-Identifier: MIT
#include "sensors/chosen_sensors.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <maxlat/core/sys/starvation.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_file.hpp>

namespace maxlat::trace_tools {

std::string ChosenSensor::name() const {
  return fmt::format("{}#{}/{}/{}", group->program(), group->pid(), group->group(), facts->name);
}

namespace {

// A program that begins has its shared memory a moment before that is filled and sealed.
constexpr std::chrono::milliseconds kToBeMade{100};

// Everybody's that can be seen. Those that cannot be read are told of once.
core::Result<std::vector<sensors::KnownGroup>> groups_now(Looks looks) {
  std::vector<std::string> refused;
  auto groups = sensors::known_groups(&refused);
  struct Refused {
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    bool told = false;
  };
  static std::map<std::string, Refused> known;
  for (const std::string& line : refused) {
    Refused& one = known[line];
    const bool may_come = looks == Looks::again && std::chrono::steady_clock::now() - one.since < kToBeMade;
    if (one.told || may_come) continue;
    one.told = true;
    core::tell("maxlat sensors: {}\n", core::printable(line));
  }
  return groups;
}

// What a pattern matches.
struct Matched {
  bool wanted = false;
  bool ended = false;  // of a program that has, where those are not wanted
};

ChosenSensors choose_of(std::vector<sensors::KnownGroup> groups, const std::vector<std::string>& patterns, Whose whose,
                        std::vector<Matched>& matched) {
  ChosenSensors chosen;
  chosen.groups = std::move(groups);
  matched.assign(patterns.size(), {});
  for (const auto& [group, ended, ended_ns] : chosen.groups) {
    const bool left_out = ended && whose == Whose::running;
    for (const sensors::SensorFacts& facts : group.sensors()) {
      bool wanted = patterns.empty();
      for (std::size_t i = 0; i < patterns.size(); ++i) {
        if (!sensors::matches(patterns[i], group, facts)) continue;
        (left_out ? matched[i].ended : matched[i].wanted) = true;
        wanted = true;
      }
      if (wanted && !left_out) chosen.sensors.push_back({&group, &facts, ended, ended_ns});
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

core::Result<ChosenSensors> choose_sensors(const std::vector<std::string>& patterns, Looks looks, Whose whose) {
  auto groups = groups_now(looks);
  if (!groups) return groups.error();
  std::vector<Matched> matched;
  ChosenSensors chosen = choose_of(std::move(*groups), patterns, whose, matched);
  const auto unused = std::find_if(matched.begin(), matched.end(), [](const Matched& one) { return !one.wanted; });
  if (unused == matched.end()) return chosen;
  const std::string& pattern = patterns[static_cast<std::size_t>(unused - matched.begin())];
  if (unused->ended)
    return core::Error{fmt::format("the program of \"{}\" has ended", pattern),
                       "`maxlat sensors get` shows what it posted last"};
  return core::Error{fmt::format("no sensor is called \"{}\"", pattern),
                     "`maxlat sensors list` shows which there are" + of_other_users()};
}

std::string of_other_users() {
  return geteuid() == 0 ? "" : "; those of other users are shown to root, or as root's directory allows";
}

core::Result<ChosenSensors> sensors_now(const std::vector<std::string>& patterns) {
  auto groups = groups_now(Looks::again);
  if (!groups) return groups.error();
  std::vector<Matched> matched;
  return choose_of(std::move(*groups), patterns, Whose::running, matched);
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
  auto groups = groups_now(Looks::again);
  if (!groups) return groups.error();
  std::erase_if(*groups, [this](const sensors::KnownGroup& known) { return !is_one(known.group.pid()); });
  std::vector<Matched> matched;
  return choose_of(std::move(*groups), patterns, Whose::running, matched);
}

core::Result<std::optional<ChosenSensors>> choose_sensors(const core::CommandHelp& help,
                                                          const core::Arguments& arguments, Whose whose) {
  boost::program_options::options_description options("Options");
  options.add_options()("help,h", "this text");
  const auto line = core::parse_or_help(help, options, arguments);
  if (!line) return line.error();
  if (!*line) return std::optional<ChosenSensors>{};
  auto chosen = choose_sensors((*line)->operands, Looks::once, whose);
  if (!chosen) return chosen.error();
  return std::optional<ChosenSensors>(std::move(*chosen));
}

}  // namespace maxlat::trace_tools
