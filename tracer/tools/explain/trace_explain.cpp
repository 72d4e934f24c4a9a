// SPDX-License-Identifier: MIT
//
// `maxlat trace explain`: the options, and the list as text or JSON.
#include <errno.h>
#include <fmt/format.h>

#include <cstdio>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/core/sys/text.hpp>
#include <string>
#include <utility>

#include "explained_interval.hpp"
#include "foreign/foreign_command.hpp"
#include "read/escape.hpp"
#include "read/moment_reader.hpp"
#include "read/moment_writer.hpp"
#include "read/read_filter.hpp"
#include "read/trace_to_read.hpp"
#include "trace_commands.hpp"

namespace maxlat::trace_tools {
namespace {

namespace po = boost::program_options;

constexpr core::CommandHelp kExplainHelp{
    "maxlat trace explain DIR --cpu N --from TIME --to TIME",
    "Says who had a CPU in an interval of a trace with the kernel's events, by name: interrupts, softirqs, tasks.\n"
    "The parts add up to the interval, to the tick of the counter. What is \"before the history\" was lost, or lies\n"
    "outside of the recording.\n"
    "Exit status: 0, or 3 when who had it is not known of the whole interval.",
    "  maxlat trace explain DIR --cpu 1 --from 16:02:41.000128 --to 16:02:41.000211   times as print prints them\n"
    "  maxlat trace explain DIR --cpu 1 --from +1s --to +1.5s --json                  from the first event on\n"};

po::options_description explain_options() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("cpu", core::argument<unsigned>("N"), "the CPU");
  add("from", core::argument("TIME"), "as maxlat trace print has it for --begin");
  add("to", core::argument("TIME"), "the end of the interval");
  add("thread", core::argument<int>("TID"), "the thread that measured: its own time is what nothing explains");
  add("json", "one JSON object");
  add("help,h", "this text");
  return options;
}

core::Result<ExplainRequest> request_of(const core::CommandLine& line, const std::string& folder,
                                        const FirstTime& first_ns) {
  for (const char* name : {"cpu", "from", "to"})
    if (!line.has(name)) return core::Error{fmt::format("--{} is missing", name), "maxlat trace explain --help"};
  ExplainRequest request{.folder = folder, .cpu = line.get<unsigned>("cpu")};
  if (line.has("thread")) {
    request.thread = line.get<int>("thread");
    if (request.thread <= 0) return core::Error{"--thread is the number of a thread, above 0"};
  }
  const auto first = first_ns();
  if (!first) return first.error();
  for (const auto& [name, ns] : {std::pair{"from", &request.from_ns}, std::pair{"to", &request.to_ns}}) {
    const auto moment = moment_option(line, name, *first);
    if (!moment) return moment.error();
    *ns = *moment;
  }
  if (request.to_ns <= request.from_ns) return core::Error{"--to is not behind --from"};
  return request;
}

std::string interval_text(const ExplainRequest& request, const ExplainedInterval& explained) {
  std::string text = fmt::format("CPU {} from {} to {}: {}, {} ticks\n", request.cpu, moment_text(request.from_ns),
                                 moment_text(request.to_ns), core::latency_text(explained.ns), explained.ticks);
  text += fmt::format("{:>12} {:>9} {:>7}  who had it\n", "time", "share", "count");
  for (const ExplainedInterval::Part& part : explained.parts)
    text += fmt::format("{:>12} {:>7.2f} % {:>7}  {}\n", core::latency_text(part.time.ns),
                        100 * static_cast<double>(part.ticks) / static_cast<double>(explained.ticks), part.time.count,
                        core::printable(core::name_of(part.time)));
  if (!explained.not_recorded.empty())
    text += fmt::format("not recorded: {}; their time is with whom they interrupted\n",
                        fmt::join(explained.not_recorded, ", "));
  return text;
}

std::string interval_json(const ExplainRequest& request, const ExplainedInterval& explained) {
  std::string parts;
  for (const ExplainedInterval::Part& part : explained.parts)
    parts += fmt::format(
        R"({}{{"class":"{}","name":"{}","ticks":{},"ns":{},"count":{},"certainty":"{}","woken_by":"{}","sent_by":"{}"}})",
        parts.empty() ? "" : ",", core::to_string(part.time.kind), json_escaped(part.time.name), part.ticks,
        part.time.ns, part.time.count, core::to_string(part.time.certainty), json_escaped(part.time.woken_by),
        json_escaped(part.time.sent_by));
  std::string not_recorded;
  for (const std::string& what : explained.not_recorded)
    not_recorded += fmt::format("{}\"{}\"", not_recorded.empty() ? "" : ",", json_escaped(what));
  return fmt::format(
             R"({{"cpu":{},"from_ns":{},"to_ns":{},"ticks":{},"ns":{},"whole":{},"not_recorded":[{}],"accounting":[{}]}})",
             request.cpu, request.from_ns, request.to_ns, explained.ticks, explained.ns, explained.is_whole(),
             not_recorded, parts) +
         "\n";
}

}  // namespace

core::Result<core::Exit> trace_explain(const core::Arguments& arguments) {
  const auto to_read = parse_trace_to_read(kExplainHelp, explain_options(), arguments);
  if (!to_read) return to_read.error();
  if (!*to_read) return core::Exit::pass;
  const auto& [line, folder, foreign] = **to_read;
  const ForeignExplanation answer = line.has("json") ? interval_json : interval_text;
  const auto ask = [&line = line, &folder = folder](const FirstTime& first_ns) {
    return request_of(line, folder, first_ns);
  };
  if (foreign) return explain_foreign(ask, answer, *foreign);
  const auto request = ask([&folder = folder] { return first_time_of(folder); });
  if (!request) return request.error();
  const auto explained = explain(*request);
  if (!explained) return explained.error();
  const std::string text = answer(*request, *explained);
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    return core::system_error("cannot write standard output", errno);
  for (const std::string& place : explained->breaks) core::tell("maxlat trace: {}\n", place);
  return explained->is_whole() ? core::Exit::pass : core::Exit::invalid;
}

}  // namespace maxlat::trace_tools
