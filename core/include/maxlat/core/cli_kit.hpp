// SPDX-License-Identifier: MIT
//
// What the subcommands' command lines share: the rt-tests letters, value types that check themselves, and one way to
// print help (one screen, two examples at its end) and to report a mistake. Built on Boost.Program_options.
//
// Boost.Program_options has no short option with an optional argument; rt-tests has (-a, -a1, -a 1, --affinity=1).
// Options declared with implicit_value get the rt-tests behaviour from parse(): "-a 1" takes the 1 when it could be a
// value, that is, when it does not begin with '-' and the option's check accepts it.
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <maxlat/core/command.hpp>
#include <maxlat/core/result.hpp>

namespace maxlat::core {

struct CommandLine {
  boost::program_options::variables_map values;
  std::vector<std::string> operands;  // after the options, or after "--"
  bool has(const std::string& name) const { return values.count(name) != 0 && !values[name].empty(); }
  template <typename T>
  const T& get(const std::string& name) const { return values[name].as<T>(); }
};

struct CommandHelp {
  std::string_view synopsis;  // "maxlat npt [options]"
  std::string_view about;     // one or two lines
  std::string_view examples;  // two, each a command and what it does
};

// Parses; an unknown option, a missing or surplus value is an Error with the hint "maxlat X --help lists the options".
// `optional_arguments` names the long options that take an argument or none. `operands_after` as in `-- CMD ARGS`.
Result<CommandLine> parse(const boost::program_options::options_description& options, const Arguments& arguments,
                          const std::vector<std::string>& optional_arguments = {});
std::string help_text(const CommandHelp& help, const boost::program_options::options_description& options);

}  // namespace maxlat::core
