// SPDX-License-Identifier: MIT
//
// A row of `maxlat shield`: name, help, options, what it does. Options that all of them have are added by the table.
#pragma once

#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/shield/shield.hpp>
#include <string_view>

namespace maxlat::shield {

struct Subcommand {
  std::string_view name, summary;
  const core::CommandHelp& help;
  void (*add_options)(boost::program_options::options_description&);
  core::Result<core::Exit> (*run)(const core::CommandLine&);
};

Subcommand audit_subcommand();  // audit_command.cpp
Subcommand boot_subcommand();   // boot_command.cpp

// --cpus and --housekeeping, and the plan that they and --journal make. ERRORS: those of complete_plan(); no --cpus.
void add_cpus(boost::program_options::options_description& options);
core::Result<ShieldPlan> plan_from(const core::CommandLine& line);

}  // namespace maxlat::shield
