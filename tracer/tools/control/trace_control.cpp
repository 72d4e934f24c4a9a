// SPDX-License-Identifier: MIT
// `maxlat trace list, start, stop, enable, disable`: one request each to a running program.
#include <fmt/format.h>

#include <cstdio>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/trace/description.hpp>

#include "control_target.hpp"
#include "kernel_events/kernel_list.hpp"
#include "trace_commands.hpp"

namespace maxlat::trace_tools {
namespace {

namespace po = boost::program_options;

// What the simple ones have in common: operands, a program, one request.
struct Simple {
  core::CommandHelp help;
  const char* operands;  // for the error
  std::size_t count;
  bool ends_in_pattern = false;  // the last of them
  bool level = false;
};

// RETURNS: empty: help was asked for.
core::Result<std::optional<core::CommandLine>> parse_simple(const Simple& command, const core::Arguments& arguments) {
  po::options_description options("Options");
  auto add = options.add_options();
  if (command.level) add("level", core::argument<unsigned>("N"), "up to this level: 0 emergency ... 7 debug (7)");
  add("help,h", "this text");
  auto line = core::parse_or_help(command.help, options, arguments);
  if (line && *line && (*line)->operands.size() != command.count) {
    return core::Error{fmt::format("what is wanted is {}", command.operands)};
  }
  // A pattern that no event can have would do nothing, and say nothing.
  if (line && *line && command.ends_in_pattern && (*line)->operands.back().find(':') == std::string::npos) {
    const std::string& pattern = (*line)->operands.back();
    return core::Error{fmt::format("\"{}\" is no PATTERN: an event is named PROVIDER:NAME", pattern),
                       fmt::format("'{0}:*' or '*:{0}'", pattern.empty() ? "step" : pattern)};
  }
  return line;
}

core::Result<core::Exit> request_of(const core::CommandLine& line, const std::string& verb) {
  const auto pid = find_process(line.operands.front());
  if (!pid) return pid.error();
  auto connection = trace::ControlConnection::connect(*pid);
  if (!connection) return connection.error();
  std::string request = verb;
  for (std::size_t i = 1; i < line.operands.size(); ++i) request += " " + line.operands[i];
  if (line.has("level")) request += fmt::format(" level={}", line.get<unsigned>("level"));
  const auto reply = connection->request(request);
  if (!reply) return reply.error();
  return core::Exit::pass;
}

core::Result<core::Exit> simple(const Simple& command, const std::string& verb, const core::Arguments& arguments) {
  const auto line = parse_simple(command, arguments);
  if (!line) return line.error();
  if (!*line) return core::Exit::pass;
  return request_of(**line, verb);
}

// "event PROVIDER:NAME LEVEL" and its "field NAME TYPE" lines, as one line of text an event.
void print_events(const std::vector<std::string>& lines) {
  bool fields = false;
  for (const std::string& line : lines) {
    const std::size_t space = line.rfind(' ');
    if (line.starts_with("event ") && space > 6) {
      std::string level = line.substr(space + 1);
      if (level.size() == 1 && level[0] >= '0' && level[0] <= '7')
        level = trace::kLevelNames[static_cast<std::size_t>(level[0] - '0')];
      fmt::print("{}  {:<32} {:<9}", fields ? "\n" : "", line.substr(6, space - 6), level);
      fields = true;
    } else if (line.starts_with("field ")) {
      fmt::print(" {}", line.substr(6));
    }
  }
  if (fields) fmt::print("\n");
}

core::Status print_program(int pid, bool events) {
  auto connection = trace::ControlConnection::connect(pid);
  if (!connection) return connection.error();
  const auto program = ask_program(*connection);
  if (!program) return program.error();
  fmt::print("{:>7}  {}", pid, program->name);
  for (const std::string& session : program->sessions) fmt::print("  [{}]", session);
  fmt::print("\n");
  if (!events) return {};
  const auto list = connection->request("list");
  if (!list) return list.error();
  print_events(list->lines);
  return {};
}

}  // namespace

core::Result<core::Exit> trace_list(const core::Arguments& arguments) {
  constexpr core::CommandHelp kHelp{"maxlat trace list [PID|NAME] | --kernel [PATTERN ...]",
                                    "Lists the programs that listen for maxlat trace, with their sessions; or the "
                                    "events of one, with level and fields; or those of the kernel that maxlat_trace.ko "
                                    "records.",
                                    "  maxlat trace list                      who can be traced\n"
                                    "  maxlat trace list 4711                 what it can tell\n"
                                    "  maxlat trace list --kernel 'block:*'   what the kernel can tell of its disks\n"};
  po::options_description options("Options");
  auto add = options.add_options();
  add("kernel", "the kernel's events that match: SYSTEM:NAME with * and ?, or kprobe:SYMBOL (*:*)");
  add("help,h", "this text");
  const auto line = core::parse_or_help(kHelp, options, arguments);
  if (!line) return line.error();
  if (!*line) return core::Exit::pass;
  if ((*line)->has("kernel")) {
    const std::vector<std::string> all = {"*:*"};
    const core::Status listed = list_kernel_events((*line)->operands.empty() ? all : (*line)->operands);
    if (!listed) return listed.error();
    return core::Exit::pass;
  }
  if ((*line)->operands.size() > 1)
    return core::Error{"one program at most", "maxlat trace list PID lists all of its events: | grep NAME for some"};
  if ((*line)->operands.size() == 1) {
    const auto pid = find_process((*line)->operands.front());
    if (!pid) return pid.error();
    const core::Status printed = print_program(*pid, true);
    if (!printed) return printed.error();
    return core::Exit::pass;
  }
  const std::vector<int> all = trace::listening_processes();
  if (all.empty()) fmt::print("no program listens\n");
  for (const int pid : all) {
    const core::Status printed = print_program(pid, false);
    if (!printed) core::tell("maxlat trace list: {}: {}\n", pid, printed.error().text);
  }
  return core::Exit::pass;
}

core::Result<core::Exit> trace_start(const core::Arguments& arguments) {
  return simple(
      {{"maxlat trace start PID|NAME SESSION", "Starts a session that the program has made, or that was stopped.",
        "  maxlat trace start 4711 run        by process number\n"
        "  maxlat trace start robot run       by name\n"},
       "PID|NAME SESSION",
       2},
      "start", arguments);
}

core::Result<core::Exit> trace_stop(const core::Arguments& arguments) {
  return simple({{"maxlat trace stop PID|NAME SESSION",
                  "Stops a session. When it returns, no probe of the session is inside any more.",
                  "  maxlat trace stop 4711 run         by process number\n"
                  "  maxlat trace stop robot run        by name\n"},
                 "PID|NAME SESSION",
                 2},
                "stop", arguments);
}

core::Result<core::Exit> trace_enable(const core::Arguments& arguments) {
  return simple({{"maxlat trace enable [--level N] PID|NAME SESSION CHANNEL PATTERN",
                  "Enables events, at once and those that are loaded later. PATTERN: PROVIDER:NAME with * and ?.",
                  "  maxlat trace enable 4711 run channel0 'motor:*'              all of one provider\n"
                  "  maxlat trace enable --level 4 robot run channel0 '*:*'       warnings and worse\n"},
                 "PID|NAME SESSION CHANNEL PATTERN",
                 4,
                 true,
                 true},
                "enable", arguments);
}

core::Result<core::Exit> trace_disable(const core::Arguments& arguments) {
  return simple({{"maxlat trace disable PID|NAME SESSION CHANNEL PATTERN",
                  "Disables events, at once and those that are loaded later. PATTERN: PROVIDER:NAME with * and ?.",
                  "  maxlat trace disable 4711 run channel0 'motor:*'       all of one provider\n"
                  "  maxlat trace disable robot run channel0 '*:tick'       one event of any provider\n"},
                 "PID|NAME SESSION CHANNEL PATTERN",
                 4,
                 true},
                "disable", arguments);
}

}  // namespace maxlat::trace_tools
