// SPDX-License-Identifier: MIT
//
// A row of `maxlat shield`: name, help, options, what it does. Options that all of them have are added by the table.
#pragma once

#include <maxlat/core/sys/cli_kit.hpp>
#include <string_view>

namespace maxlat::shield {

struct Subcommand {
  std::string_view name, summary;
  const core::CommandHelp& help;
  void (*add_options)(boost::program_options::options_description&);
  core::Result<core::Exit> (*run)(const core::CommandLine&);
};

Subcommand audit_subcommand();  // audit_command.cpp

}  // namespace maxlat::shield
