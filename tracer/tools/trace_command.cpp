// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/trace_tools/trace_command.hpp>
#include <span>
#include <string>
#include <vector>

#include "trace_commands.hpp"

namespace maxlat::trace_tools {
namespace {

namespace po = boost::program_options;

std::span<const core::Command> subcommands() {
  static const std::vector<core::Command> table = {
      {"list", "the programs that can be traced, and their events", &trace_list},
      {"record", "record the events of a program", &trace_record},
      {"snapshot", "write what a flight recorder holds", &trace_snapshot},
      {"start", "start a session of a running program", &trace_start},
      {"stop", "stop it", &trace_stop},
      {"enable", "enable events of a running program", &trace_enable},
      {"disable", "disable them", &trace_disable},
      {"print", "the events of a trace, one line each", &trace_print},
      {"stats", "events, bytes, rates, largest gaps and losses of a trace", &trace_stats},
      {"explain", "who had a CPU in an interval of a trace with the kernel's events", &trace_explain},
      {"check", "whether a trace keeps what traces promise; exit status 2 when not", &trace_check},
  };
  return table;
}

core::CommandHelp help() {
  static const std::string about = [] {
    std::string text = "Records, controls and reads traces of programs that carry the tracer.\n\nsubcommands:\n";
    for (const core::Command& command : subcommands()) text += "  " + core::list_line(command.name, command.summary);
    return text + "\n`maxlat trace SUBCOMMAND --help` tells more.";
  }();
  return {"maxlat trace SUBCOMMAND [options]", about,
          "  maxlat trace record -o DIR -- ./program    run a program and record its events\n"
          "  maxlat trace print DIR                     what was recorded, one line an event\n"};
}

core::Result<core::Exit> run_trace(const core::Arguments& arguments) {
  constexpr const char* kHint = "maxlat trace --help lists the subcommands";
  if (arguments.empty()) return core::Error{"no subcommand given", kHint};
  const std::string& name = arguments.front();
  if (name.starts_with('-')) {
    po::options_description options("Options");
    options.add_options()("help,h", "this text");
    const auto line = core::parse(options, arguments);
    if (!line) return line.error();
    if (!line->has("help")) return core::Error{"no subcommand given", kHint};
    std::fputs(core::help_text(help(), options).c_str(), stdout);
    return core::Exit::pass;
  }
  const auto table = subcommands();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& command) { return command.name == name; });
  if (found == table.end()) return core::Error{fmt::format("unknown subcommand \"{}\"", name), kHint};
  return found->run(core::Arguments(arguments.begin() + 1, arguments.end()));
}

}  // namespace

const core::Command& trace_command() {
  static const core::Command command = {"trace", "record, control and read traces of the embedded tracer", &run_trace};
  return command;
}

}  // namespace maxlat::trace_tools
