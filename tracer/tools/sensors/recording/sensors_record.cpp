// SPDX-License-Identifier: MIT
//
// `maxlat sensors record`: the options once into a plan, the recording (sensors_recording.hpp), and its exit status.
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text.hpp>
#include <utility>

#include "sensors/recording/sensors_recording.hpp"
#include "sensors/sensors_commands.hpp"

namespace maxlat::trace_tools {
namespace {

constexpr core::CommandHelp kHelp{
    "maxlat sensors record -o DIR [options] [SENSOR ...] [-- CMD ...]",
    "Records the events of lists as a trace (`maxlat trace print DIR`), and values as DIR/result.json, in which each\n"
    "histogram of times is a phase for `maxlat report`, `compare` and `gate`. With CMD: of CMD and of what it starts.\n"
    "Ends with CMD, after -D, on an event of --stop-on, or on SIGINT, which keeps everything.\n"
    "What lists still hold of the time before is recorded, too.\n"
    "SENSOR is PROGRAM#PID/GROUP/NAME, or whole parts of that (latency, server/latency), with * ? [].\n"
    "Exit status: 3 events were lost, or there was no sensor (a line says so), 1 error; else that of CMD, 128 + N\n"
    "when signal N killed it, and 0 when it was ended otherwise.",
    "  maxlat sensors record -o DIR -D 10s 'robot/*'            of a program that runs\n"
    "  maxlat sensors record -o DIR --dump-on 'robot:late'      what led to it, when it comes\n"
    "  maxlat sensors record -o DIR --session run -- ./robot    of one that is started, and what it traces\n"};

// One that nothing can be is a mistake, else it is waited for in vain. As a name without a provider it is of any.
core::Status take_event(const core::CommandLine& line, const char* option, std::string& event) {
  if (!line.has(option)) return {};
  event = line.get<std::string>(option);
  const bool is_of_letters = event.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
                                                     ":*?[]!^-") == std::string::npos;
  const bool has_brackets = event.find('[') != std::string::npos;
  if (!event.empty() && is_of_letters && (has_brackets || std::count(event.begin(), event.end(), ':') < 2)) return {};
  return core::Error{fmt::format("--{}: \"{}\" is no event", option, core::printable(event)),
                     "an event is PROVIDER:NAME, or NAME of any provider; `maxlat sensors get` shows those of a list"};
}

core::Result<std::optional<SensorsRecordPlan>> record_plan(const core::Arguments& arguments) {
  boost::program_options::options_description options("Options");
  auto add = options.add_options();
  add("output,o", core::argument("DIR"), "where to; made if missing, refused if not empty");
  add("duration,D", core::argument("TIME"), "end after this time (a bare number: s); CMD then gets SIGTERM");
  add("period", core::argument("TIME")->default_value("10ms"), "from one look at the lists to the next");
  add("start-on", core::argument("EVENT"), "record from the next event PROVIDER:NAME of any list on, with * and ?");
  add("stop-on", core::argument("EVENT"), "and up to the first of these");
  add("dump-on", core::argument("EVENT"), "wait for such an event, record what all lists hold then, and end");
  add("session", core::argument("NAME"),
      "also the tracing session NAME of these programs (of all that CMD starts); made if missing, with all events");
  add("quiet,q", "say nothing but errors and losses");
  add("help,h", "this text");
  // What stands before -- are sensors, and behind it is a command.
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  const auto line = core::parse_or_help(kHelp, options, core::Arguments(arguments.begin(), dashes));
  if (!line) return line.error();
  if (!*line) return std::optional<SensorsRecordPlan>{};
  const core::CommandLine& given = **line;
  SensorsRecordPlan plan{.patterns = given.operands};
  if (dashes != arguments.end()) plan.command.assign(dashes + 1, arguments.end());
  if (dashes != arguments.end() && plan.command.empty()) return core::Error{"there is no command behind --"};
  if (!given.has("output")) return core::Error{"-o is missing", "where shall it go? maxlat sensors record -o DIR"};
  plan.directory = given.get<std::string>("output");
  const core::TimeOption times[] = {{"duration", "s", plan.duration_ns, 'D'},
                                    {"period", core::kUnitNeeded, plan.period_ns}};
  if (const core::Status taken = core::take_times(given, times); !taken) return taken.error();
  const std::pair<const char*, std::string&> events[] = {
      {"start-on", plan.start_on}, {"stop-on", plan.stop_on}, {"dump-on", plan.dump_on}};
  for (const auto& [option, event] : events)
    if (const core::Status taken = take_event(given, option, event); !taken) return taken.error();
  if (!plan.dump_on.empty() && !(plan.start_on + plan.stop_on).empty())
    return core::Error{"--dump-on records one moment", "leave out --start-on and --stop-on"};
  if (given.has("session")) plan.session = given.get<std::string>("session");
  if (given.has("session") && plan.session.empty()) return core::Error{"--session: which? its name is empty"};
  if (!plan.session.empty() && !(plan.start_on + plan.stop_on + plan.dump_on).empty())
    return core::Error{"--session goes from the begin of the recording to its end",
                       "leave out --start-on, --stop-on and --dump-on, which are about events of lists"};
  plan.quiet = given.has("quiet");
  return std::optional(std::move(plan));
}

}  // namespace

core::Result<core::Exit> sensors_record(const core::Arguments& arguments) {
  const auto plan = record_plan(arguments);
  if (!plan) return plan.error();
  if (!*plan) return core::Exit::pass;
  return record_sensors(**plan);
}

}  // namespace maxlat::trace_tools
