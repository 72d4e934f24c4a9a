// SPDX-License-Identifier: MIT
//
// Which sensors are meant. A sensor's whole name is PROGRAM#PID/GROUP/NAME; a pattern, with * ? [], matches it from any
// of its parts on, or up to any of them:
//
//   latency    server/*    robot/server/latency    robot#4711/server/latency    4711    robot
//
// OWNERSHIP: a chosen sensor points into the views that are kept beside it.
#pragma once

#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/command.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/sensors/monitor.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

struct ChosenSensor {
  const sensors::GroupView* group = nullptr;
  const sensors::SensorFacts* facts = nullptr;
  std::string name() const;  // the whole one
  sensors::SensorValue value() const { return group->read(*facts); }
};

struct ChosenSensors {
  std::vector<sensors::GroupView> groups;
  std::vector<ChosenSensor> sensors;
};

bool matches(const std::string& pattern, const std::string& program, int pid, const std::string& group,
             const std::string& name);

// Of all programs, in the order of their names; without patterns all. ERRORS: a pattern that no sensor matches.
core::Result<ChosenSensors> choose_sensors(const std::vector<std::string>& patterns);

// Those that the operands of a command name, where --help is its only option.
// RETURNS: nothing: help was asked for, and printed.
core::Result<std::optional<ChosenSensors>> choose_sensors(const core::CommandHelp& help,
                                                          const core::Arguments& arguments);

}  // namespace maxlat::trace_tools
