// SPDX-License-Identifier: MIT
#include "sensors/chosen_sensors.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <maxlat/base/owned.hpp>
#include <maxlat/base/process_start.hpp>
#include <maxlat/core/sys/starvation.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_file.hpp>

namespace maxlat::trace_tools {

std::string ChosenSensor::name() const {
  return fmt::format("{}/{}/{}", group->instance(), group->group(), facts->name);
}

namespace {

// A program that begins has its shared memory a moment before that is filled and sealed.
constexpr std::chrono::milliseconds kToBeMade{100};

// Running programs that only a directory shows: another user's. Who has looked at one goes on, as any monitor that has
// the memory: neither a directory that dies nor another rule takes it away.
class OnceShown {
 public:
  void look(std::vector<sensors::KnownGroup>& groups) {
    std::map<Uuid, Shown> still;
    for (auto& [uuid, shown] : shown_) {
      if (base::start_time_of(shown.pid) != shown.started) continue;
      if (!has(groups, uuid))
        if (auto group = sensors::GroupView::attach(shown.memory.number(), shown.pid))
          groups.push_back({std::move(*group)});
      still.emplace(uuid, std::move(shown));
    }
    shown_ = std::move(still);
    for (const auto& [group, ended, ended_ns] : groups)
      if (!ended && group.pid() != 0 && !can_be_looked_at(group.pid()) && !shown_.contains(group.uuid()))
        shown_.emplace(group.uuid(), Shown{base::Descriptor(fcntl(group.memory_fd(), F_DUPFD_CLOEXEC, 0)), group.pid(),
                                           group.pid_start_time()});
  }

 private:
  using Uuid = std::array<std::uint8_t, 16>;
  struct Shown {
    base::Descriptor memory;
    int pid;
    std::uint64_t started;
  };
  static bool has(const std::vector<sensors::KnownGroup>& groups, const Uuid& uuid) {
    return std::any_of(groups.begin(), groups.end(), [&](const auto& known) { return known.group.uuid() == uuid; });
  }
  // Then it shows its groups itself.
  static bool can_be_looked_at(int pid) { return access(fmt::format("/proc/{}/fd", pid).c_str(), R_OK) == 0; }

  std::map<Uuid, Shown> shown_;
};

// Everybody's that can be seen. Those that cannot be read are told of once.
core::Result<std::vector<sensors::KnownGroup>> groups_now(Looks looks, bool ended_too) {
  std::vector<std::string> refused;
  auto groups = sensors::known_groups(ended_too, &refused);
  struct Refused {
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    bool told = false;
  };
  static OnceShown once_shown;
  if (groups && looks == Looks::again) once_shown.look(*groups);
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

// `used`: of each pattern, whether something matches it.
ChosenSensors choose_of(std::vector<sensors::KnownGroup> groups, const std::vector<std::string>& patterns,
                        std::vector<bool>& used) {
  ChosenSensors chosen;
  chosen.groups = std::move(groups);
  used.assign(patterns.size(), false);
  for (const auto& [group, ended, ended_ns] : chosen.groups) {
    for (const sensors::SensorFacts& facts : group.sensors()) {
      bool wanted = patterns.empty();
      for (std::size_t i = 0; i < patterns.size(); ++i) {
        if (!sensors::matches(patterns[i], group, facts)) continue;
        used[i] = true;
        wanted = true;
      }
      if (wanted) chosen.sensors.push_back({&group, &facts, ended, ended_ns});
    }
  }
  return chosen;
}

bool is_of_an_ended_program(const std::string& pattern) {
  const auto groups = sensors::known_groups(true);
  return groups && std::any_of(groups->begin(), groups->end(), [&](const sensors::KnownGroup& one) {
           return one.ended &&
                  std::any_of(one.group.sensors().begin(), one.group.sensors().end(),
                              [&](const auto& facts) { return sensors::matches(pattern, one.group, facts); });
         });
}

// Of who started it; 0: it is not there any more.
int parent_of(int pid) {
  const auto text = core::read_file(fmt::format("/proc/{}/stat", pid));
  const auto task = text ? core::parse_task_stat(*text) : std::nullopt;
  return task ? task->parent : 0;
}

}  // namespace

core::Result<ChosenSensors> choose_sensors(const std::vector<std::string>& patterns, Looks looks, Whose whose) {
  auto groups = groups_now(looks, whose == Whose::ended_too);
  if (!groups) return groups.error();
  std::vector<bool> used;
  ChosenSensors chosen = choose_of(std::move(*groups), patterns, used);
  const auto unused = std::find(used.begin(), used.end(), false);
  if (unused == used.end()) return chosen;
  const std::string& pattern = patterns[static_cast<std::size_t>(unused - used.begin())];
  if (whose == Whose::running && is_of_an_ended_program(pattern))
    return core::Error{fmt::format("the program of \"{}\" has ended", pattern),
                       "`maxlat sensors get` shows what it posted last"};
  return core::Error{fmt::format("no sensor is called \"{}\"", pattern),
                     "`maxlat sensors list` shows which there are" + of_other_users()};
}

std::string of_other_users() {
  return geteuid() == 0 ? "" : "; those of other users are shown to root, or as root's directory allows";
}

core::Result<ChosenSensors> sensors_now(const std::vector<std::string>& patterns, std::vector<std::string>* missing) {
  auto groups = groups_now(Looks::again, false);
  if (!groups) return groups.error();
  std::vector<bool> used;
  ChosenSensors chosen = choose_of(std::move(*groups), patterns, used);
  if (missing == nullptr) return chosen;
  missing->clear();
  for (std::size_t i = 0; i < patterns.size(); ++i)
    if (!used[i]) missing->push_back(patterns[i]);
  return chosen;
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

bool StartedPrograms::have_common(const sensors::GroupView& group) const {
  return std::any_of(known_.begin(), known_.end(), [&](int pid) {
    const auto theirs = sensors::find_groups(pid);
    return theirs && std::any_of(theirs->begin(), theirs->end(),
                                 [&](const sensors::GroupView& one) { return one.uuid() == group.uuid(); });
  });
}

core::Result<ChosenSensors> StartedPrograms::sensors_now(const std::vector<std::string>& patterns) {
  auto groups = groups_now(Looks::again, false);
  if (!groups) return groups.error();
  std::erase_if(*groups, [this](const sensors::KnownGroup& known) {
    return known.group.is_common() ? !have_common(known.group) : !is_one(known.group.pid());
  });
  std::vector<bool> used;
  return choose_of(std::move(*groups), patterns, used);
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
