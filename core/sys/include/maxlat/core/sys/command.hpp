// SPDX-License-Identifier: MIT
//
// A subcommand: a name, one line about it, and the function that runs it. cli/ has the table; each room offers its
// rows.
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

}  // namespace maxlat::core
