// SPDX-License-Identifier: MIT
//
// A subcommand of `maxlat shield`: name, help, options, what it does. Adding one is a file that defines it, and a row
// in shield/CMakeLists.txt. Options that all of them have are added for each.
#pragma once

#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/shield/shield.hpp>
#include <string_view>
#include <vector>

namespace maxlat::shield {

struct Subcommand {
  std::string_view name, summary;
  core::CommandHelp help;
  void (*add_options)(boost::program_options::options_description&);
  core::Result<core::Exit> (*run)(const core::CommandLine&);
};

std::vector<const Subcommand*> subcommand_rows();  // of CMakeLists.txt

// --cpus and --housekeeping, and the plan that they and --journal make. ERRORS: those of complete_plan(); no --cpus.
void add_cpus(boost::program_options::options_description& options);
// The same, and what a shield does only when it is asked to.
void add_cpus_and_requests(boost::program_options::options_description& options);
core::Result<ShieldPlan> plan_from(const core::CommandLine& line);
// ERRORS: an operand, where a subcommand takes none.
core::Status no_operand(const core::CommandLine& line, std::string_view hint = {});

}  // namespace maxlat::shield
