// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/command.hpp>
#include <maxlat/core/sys/text.hpp>

namespace maxlat::core {
namespace {

std::string list_of(const CommandFamily& family) {
  std::string text = fmt::format("{}\n\nsubcommands:\n", family.about);
  for (const Command& row : family.rows) text += "  " + list_line(row.name, row.summary);
  return text + fmt::format("\n`{} SUBCOMMAND --help` tells more.", family.name);
}

}  // namespace

Result<const Command*> row_of_family(const CommandFamily& family, const Arguments& arguments) {
  const std::string hint = fmt::format("{} --help lists the subcommands", family.name);
  if (arguments.empty()) return Error{"no subcommand given", hint};
  const std::string& name = arguments.front();
  if (name.starts_with('-')) {
    boost::program_options::options_description options("Options");
    options.add_options()("help,h", "this text");
    const std::string synopsis = fmt::format("{} SUBCOMMAND [options]", family.name), about = list_of(family);
    const auto line = parse_or_help({synopsis, about, family.examples}, options, arguments);
    if (!line) return line.error();
    if (*line) return Error{"no subcommand given", hint};
    return nullptr;
  }
  const auto row = std::find_if(family.rows.begin(), family.rows.end(), [&](const Command& c) { return c.name == name; });
  if (row == family.rows.end()) return Error{fmt::format("unknown subcommand \"{}\"", name), hint};
  return &*row;
}

Result<Exit> run_of_family(const CommandFamily& family, const Arguments& arguments) {
  const auto row = row_of_family(family, arguments);
  if (!row) return row.error();
  return *row == nullptr ? Result<Exit>(Exit::pass) : (*row)->run(Arguments(arguments.begin() + 1, arguments.end()));
}

}  // namespace maxlat::core
