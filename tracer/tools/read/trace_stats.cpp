// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstdio>
#include <maxlat/core/sys/cli_kit.hpp>

#include "foreign/foreign_command.hpp"
#include "read_filter.hpp"
#include "trace_commands.hpp"
#include "trace_statistics.hpp"
#include "trace_to_read.hpp"

namespace maxlat::trace_tools {
namespace {

namespace po = boost::program_options;

constexpr core::CommandHelp kStatsHelp{
    "maxlat trace stats [options] DIR",
    "Counts a trace: events and bytes, rate and largest gap of each event and of each stream, losses by cause. A gap\n"
    "is the time between two events of one row; its beginning is told from the first event of the trace. A stream\n"
    "shows the names of its thread.\n"
    "Exit status: 0, or 3 when events were lost or a part of the trace is damaged and therefore not counted.",
    "  maxlat trace stats DIR                     everything in it\n"
    "  maxlat trace stats DIR -e app:tick --json  one event, for a program\n"};

}  // namespace

core::Result<core::Exit> trace_stats(const core::Arguments& arguments) {
  po::options_description options("Options");
  add_filter_options(options);
  auto add = options.add_options();
  add("json", "one JSON object");
  add("help,h", "this text");
  const auto to_read = parse_trace_to_read(kStatsHelp, options, arguments);
  if (!to_read) return to_read.error();
  if (!*to_read) return core::Exit::pass;
  const auto& [line, folder, foreign] = **to_read;
  if (foreign) return count_foreign(line, *foreign);
  const auto reader = open_filtered(line);
  if (!reader) return reader.error();
  const bool whole_streams = reads_whole_streams(line) && !line.has("begin");
  const TraceStatistics statistics = count_events(*reader->reader, whole_streams);
  if (const core::Status matched = reader->something_matched(statistics.all.count != 0); !matched)
    return matched.error();
  const std::string text = line.has("json") ? json_of(statistics) : text_of(statistics);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    return core::system_error("cannot write standard output", errno);
  const core::Exit exit = report_breaks(statistics.breaks);
  return any_lost(statistics) ? core::Exit::invalid : exit;
}

}  // namespace maxlat::trace_tools
