// SPDX-License-Identifier: MIT
//
// Which sensors are meant, by patterns of their names (maxlat/sensors/monitor.hpp).
//
// OWNERSHIP: a chosen sensor points into the views that are kept beside it.
#pragma once

#include <array>
#include <cstdint>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/command.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/sensors/directory.hpp>
#include <maxlat/sensors/monitor.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace maxlat::trace_tools {

using SensorKey = std::pair<std::array<std::uint8_t, 16>, std::string>;

struct ChosenSensor {
  const sensors::GroupView* group = nullptr;
  const sensors::SensorFacts* facts = nullptr;
  bool ended = false;          // its program has, and a directory has kept it
  std::uint64_t ended_ns = 0;  // when; 0: nobody knows
  std::string name() const;    // the whole one
  // Of the same sensor the same at each look, as long as its program has it.
  SensorKey key() const { return {group->uuid(), facts->name}; }
  sensors::SensorValue value() const { return group->read(*facts); }
};

struct ChosenSensors {
  std::vector<sensors::KnownGroup> groups;
  std::vector<ChosenSensor> sensors;
};

// Whether a command looks once, or again and again: then it can wait and see whether what it cannot read now is only
// being made, before it complains.
enum class Looks { once, again };

// Those of programs that run, or those too that a directory has kept (maxlat/sensors/directory.hpp).
enum class Whose { running, ended_too };

// Of all programs, in the order of their names; without patterns all. ERRORS: a pattern that no sensor matches.
core::Result<ChosenSensors> choose_sensors(const std::vector<std::string>& patterns, Looks looks = Looks::once,
                                           Whose whose = Whose::running);

// Behind a message that there are none: whose were not looked at; for root nothing.
std::string of_other_users();

// The same, and it is no mistake that there are none; looks again. `missing`: the patterns that no sensor matches.
// ERRORS: the system's; what was known before still is there.
core::Result<ChosenSensors> sensors_now(const std::vector<std::string>& patterns,
                                        std::vector<std::string>* missing = nullptr);

// Those of a program and of the programs that it starts. Who was known once as one of them still is when the one that
// started it has ended.
class StartedPrograms {
 public:
  explicit StartedPrograms(int pid) : known_{pid} {}
  core::Result<ChosenSensors> sensors_now(const std::vector<std::string>& patterns);

 private:
  bool is_one(int pid);
  bool have_common(const sensors::GroupView& group) const;
  std::set<int> known_;
};

// Those that the operands of a command name, where --help is its only option.
// RETURNS: nothing: help was asked for, and printed.
core::Result<std::optional<ChosenSensors>> choose_sensors(const core::CommandHelp& help,
                                                          const core::Arguments& arguments,
                                                          Whose whose = Whose::running);

}  // namespace maxlat::trace_tools
