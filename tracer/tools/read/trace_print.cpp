// SPDX-License-Identifier: MIT
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/trace/reader.hpp>

#include "event_printer.hpp"
#include "foreign/foreign_command.hpp"
#include "output_buffer.hpp"
#include "read_filter.hpp"
#include "trace_commands.hpp"
#include "trace_to_read.hpp"

namespace maxlat::trace_tools {
namespace {

namespace po = boost::program_options;

constexpr core::CommandHelp kPrintHelp{
    "maxlat trace print [options] DIR",
    "Prints the events of a trace in the order of time, one line each: of ours, or of LTTng's and any other CTF 1.8.\n"
    "Behind a thread's number stands its name, where it has one of its own, as it was then.\n"
    "A line that begins with --- says how many events were lost there, and why.\n"
    "Exit status: 0, or 3 when events were lost or a part of the trace is damaged: what is whole is printed, and\n"
    "stderr says what is not.",
    "  maxlat trace print DIR --delta                        every event, and the time since the one before\n"
    "  maxlat trace print DIR -e 'app:*' --begin +1s --json  one provider's, without the first second, as JSON\n"};

}  // namespace

core::Result<core::Exit> trace_print(const core::Arguments& arguments) {
  po::options_description options("Options");
  add_filter_options(options);
  auto add = options.add_options();
  add("delta", "show the time since the line before");
  add("json", "one JSON object a line");
  add("help,h", "this text");
  const auto to_read = parse_trace_to_read(kPrintHelp, options, arguments);
  if (!to_read) return to_read.error();
  if (!*to_read) return core::Exit::pass;
  const auto& [line, folder, foreign] = **to_read;
  if (foreign) return print_foreign(line, *foreign, {.json = line.has("json"), .delta = line.has("delta")});
  const auto filtered = open_filtered(line);
  if (!filtered) return filtered.error();
  const auto& reader = filtered->reader;

  OutputBuffer out(stdout);
  EventPrinter printer(out, {.json = line.has("json"), .delta = line.has("delta")});
  const bool whole_streams = reads_whole_streams(line);
  if (whole_streams && !line.has("begin"))
    for (const UntoldLoss& loss : first_losses(*reader)) printer.print_loss(loss);
  for (trace::RecordedEvent event; !out.failed() && reader->next(event);) printer.print(event);
  std::vector<trace::TraceBreak> breaks = reader->breaks();
  for (const auto& stream : reader->streams()) {
    if (stream->loss_at_end().any()) printer.print_loss(stream->stream(), stream->loss_at_end());
  }
  if (whole_streams) {
    for (const UntoldLoss& loss : untold_losses(*reader, breaks)) printer.print_loss(loss);
    if (!line.has("begin")) {
      for (trace::TraceBreak& missing : missing_by_books(*reader)) breaks.push_back(std::move(missing));
    }
  }
  if (!out.flush()) return core::system_error("cannot write standard output", errno);
  if (const core::Status matched = filtered->something_matched(printer.any_event()); !matched) return matched.error();
  const core::Exit exit = report_breaks(breaks);
  return printer.any_loss() ? core::Exit::invalid : exit;
}

}  // namespace maxlat::trace_tools
