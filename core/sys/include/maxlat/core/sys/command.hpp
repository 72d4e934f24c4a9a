// SPDX-License-Identifier: MIT
//
// A subcommand: a name, one line about it, and the function that runs it. cli/ has the table; each room offers its
// rows. One that has subcommands of its own (`maxlat trace print`) is a family: a table of the same kind.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::core {

using Arguments = std::vector<std::string>;  // without the program and subcommand names

struct Command {
  std::string_view name;     // "npt"
  std::string_view summary;  // one line for `maxlat --help`
  Result<Exit> (*run)(const Arguments& arguments);
};

struct CommandFamily {
  std::string_view name;   // "maxlat trace"
  std::string_view about;  // one line
  std::span<const Command> rows;
  std::string_view examples;
};

// The row that the first argument names; none: --help was asked for, and what there is is printed.
// ERRORS: no such row, with the hint where they are listed.
Result<const Command*> row_of_family(const CommandFamily& family, const Arguments& arguments);
// Runs it with the other arguments. ERRORS: the same, and the row's own.
Result<Exit> run_of_family(const CommandFamily& family, const Arguments& arguments);

}  // namespace maxlat::core
