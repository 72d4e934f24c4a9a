// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/trace/trace_folder.hpp>

#include "foreign/foreign_command.hpp"
#include "read/read_filter.hpp"
#include "read/trace_to_read.hpp"
#include "trace_audit.hpp"
#include "trace_commands.hpp"

namespace maxlat::trace_tools {
namespace {

namespace po = boost::program_options;

constexpr core::CommandHelp kCheckHelp{
    "maxlat trace check [options] DIR",
    "Holds a trace against what it promises: whole packets without a hole, as many records as packets say, times in\n"
    "order, losses that only grow; and, where the recorder left its books, produced = recorded + lost.\n"
    "Exit status: 0, 2 when something is not so (one line each), 3 when nothing is wrong but the books are missing,\n"
    "so that nobody knows what was produced (a recorder that was killed), 1 when DIR is no trace.",
    "  maxlat trace check DIR                      findings, and totals\n"
    "  maxlat trace check -q DIR || echo damaged   in a script\n"};

void print_totals(const AuditTotals& totals) {
  fmt::print("processes {}  streams {}  packets {}  bytes {}\n", totals.processes, totals.streams, totals.packets,
             totals.bytes);
  fmt::print("recorded {}  lost, as the packets say, {}\n", totals.recorded, totals.lost);
  if (totals.twice != 0) fmt::print("of these, {} stand in two snapshots: {} events\n", totals.twice, totals.events());
  if (totals.processes_with_books == totals.processes) {
    fmt::print("produced {}, as the recorder's books say: {}\n", totals.events_produced(), totals.fates_text());
  } else {
    fmt::print("produced: not known, the recorder of {} of {} processes left no books ",
               totals.processes - totals.processes_with_books, totals.processes);
    fmt::print("(was it killed, or is it still recording?)\n");
  }
}

}  // namespace

core::Result<core::Exit> trace_check(const core::Arguments& arguments) {
  po::options_description options("Options");
  auto add = options.add_options();
  add("quiet,q", "print nothing, the exit status tells");
  add("help,h", "this text");
  const auto to_read = parse_trace_to_read(kCheckHelp, options, arguments);
  if (!to_read) return to_read.error();
  if (!*to_read) return core::Exit::pass;
  const auto& [line, folder, foreign] = **to_read;
  if (foreign) return check_foreign(line, *foreign);
  std::vector<trace::TraceBreak> unreadable;
  const auto processes = trace::open_trace_folder(folder, &unreadable);
  if (!processes) return processes.error();

  TraceAudit audit(*processes);
  for (const trace::TraceBreak& process : unreadable) audit.unreadable(process);
  for (const trace::StoredProcess& process : *processes) audit.process(process);
  if (!line.has("quiet")) {
    for (const std::string& finding : audit.findings()) fmt::print("{}\n", finding);
    print_totals(audit.totals());
  }
  if (!audit.findings().empty()) return core::Exit::limit_exceeded;
  const AuditTotals& totals = audit.totals();
  return totals.processes_with_books == totals.processes ? core::Exit::pass : core::Exit::invalid;
}

}  // namespace maxlat::trace_tools
