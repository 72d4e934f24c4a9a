// SPDX-License-Identifier: MIT
#include <cstdio>
#include <maxlat/core/cli_kit.hpp>

#include "read_filter.hpp"
#include "trace_commands.hpp"
#include "trace_statistics.hpp"

namespace maxlat::trace_tools {
namespace {

namespace po = boost::program_options;

constexpr core::CommandHelp kHelp{
    "maxlat trace stats [options] DIR",
    "Counts a trace: events and bytes, rate and largest gap of each event and of each stream, losses by cause. A gap "
    "is\n"
    "the time between two events of one row; its beginning is told from the first event of the trace.\n"
    "Exit status: 0, or 3 when a part of the trace is damaged and therefore not counted.",
    "  maxlat trace stats DIR                     everything in it\n"
    "  maxlat trace stats DIR -e app:tick --json  one event, for a program\n"};

}  // namespace

core::Result<core::Exit> trace_stats(const core::Arguments& arguments) {
  po::options_description options("Options");
  add_filter_options(options);
  options.add_options()("json", "one JSON object")("help,h", "this text");
  const auto line = core::parse_or_help(kHelp, options, arguments);
  if (!line) return line.error();
  if (!*line) return core::Exit::pass;
  const auto reader = open_filtered(**line);
  if (!reader) return reader.error();
  const auto statistics = count_events(**reader);
  if (!statistics) return statistics.error();
  const std::string text = (*line)->has("json") ? json_of(*statistics) : text_of(*statistics);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return report_breaks((*reader)->breaks());
}

}  // namespace maxlat::trace_tools
