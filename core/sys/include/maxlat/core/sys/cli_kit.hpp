// SPDX-License-Identifier: MIT
//
// What the subcommands' command lines share: the rt-tests way of writing options, a CPU list that checks itself, and
// one way to print help (one screen, two examples at its end) and to report a mistake.
//
// Boost.Program_options declares the options, converts the values and prints the help. The words of the command line
// are read here, because Boost has no short option with an optional argument and rt-tests has (-a, -a1, -a 1,
// --affinity=1). An option declared with implicit_value takes an argument or none: the next word is its argument when
// it could be one, that is, when it does not begin with '-' and the option's type accepts it. So "-h 400" is a
// histogram of 400 where "-h" alone asks for help, and "-a hackbench" leaves the word alone when the option is a
// CpuListArgument.
//
// Otherwise as getopt_long: -qv is -q -v, -p95 is -p 95, --prio is --priority when nothing else begins so, options and
// operands may be mixed, and everything after "--" is an operand.
#pragma once

#include <boost/any.hpp>
#include <boost/program_options.hpp>
#include <iosfwd>
#include <maxlat/core/sys/command.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::core {

struct CommandLine {
  boost::program_options::variables_map values;
  std::vector<std::string> operands;  // what is no option, and everything after "--"
  // The options as they were given, in order, each by its full name.
  struct Given {
    std::string name;
    std::optional<std::string> argument;
  };
  std::vector<Given> written;
  // "--name=argument" of each, without those named: for a command that starts itself again.
  Arguments written_without(const std::set<std::string>& names) const;
  // Given, or has a default. given(): written by the user.
  bool has(const std::string& name) const { return values.count(name) != 0 && !values[name].empty(); }
  bool given(const std::string& name) const { return has(name) && !values[name].defaulted(); }
  // REQUIRES: has(name), declared with this type.
  template <typename T>
  const T& get(const std::string& name) const {
    return values[name].as<T>();
  }
};

struct CommandHelp {
  std::string_view synopsis;  // "maxlat npt [options]"
  std::string_view about;     // one or two lines
  std::string_view examples;  // two, each a command and what it does
};

// What an option takes, named as help names it. A table of options is one line each, which clang-format leaves alone:
//   auto add = table.add_options();
//   add("output,o", argument("FILE"), "where to");
template <typename T = std::string>
boost::program_options::typed_value<T>* argument(const char* name) {
  return boost::program_options::value<T>()->value_name(name);
}

// For argument<CpuListArgument>(): the list is parsed with the command line, and its error is the user's.
struct CpuListArgument {
  CpuList cpus;
};
void validate(boost::any& value, const std::vector<std::string>& words, CpuListArgument*, int);
std::ostream& operator<<(std::ostream& stream, const CpuListArgument& argument);

// An option that is a time. `bare_unit` is what the letter of npt or cyclictest takes a bare number for; kUnitNeeded
// where none fixes it.
struct TimeOption {
  const char* name;
  std::string_view bare_unit;
  uint64_t& ns;                  // REQUIRES: what holds without the option; 0: no limit, or nothing of that kind
  char letter = 0;               // where the message shall name it, too: which of the two was written is not known
  bool zero_is_allowed = false;  // else it is a mistake: it would silently mean "no limit"
  const char* without = "none";  // what a 0 in `ns` is, for the hint: "leave it out for none"
};
// Into `ns`, of each that was given. ERRORS: the first that is no such time.
Status take_times(const CommandLine& line, std::span<const TimeOption> options);

// Parses; an unknown or ambiguous option, a missing, surplus or wrong value is an Error with a hint. Throws nothing.
Result<CommandLine> parse(const boost::program_options::options_description& options, const Arguments& arguments);
// The same for a command with a --help: nothing is returned when help was asked for, and printed.
Result<std::optional<CommandLine>> parse_or_help(const CommandHelp& help,
                                                 const boost::program_options::options_description& options,
                                                 const Arguments& arguments);
// Usage, about, the options in their groups, the examples. Short and long name are written "-a, --affinity".
std::string help_text(const CommandHelp& help, const boost::program_options::options_description& options);

}  // namespace maxlat::core
