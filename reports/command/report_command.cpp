// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/reports/report.hpp>
#include <maxlat/reports/report_command.hpp>

#include "report_output.hpp"
#include "result_path.hpp"
#include "series_command.hpp"

namespace maxlat::reports {
namespace {

namespace po = boost::program_options;

constexpr core::CommandHelp kHelp = {
    "maxlat report [options] RUN",
    "Makes the report of a stored run again, from its result file alone; or that of a series of runs.\nRUN is the "
    "folder of a run, a result file (of `maxlat run`, or of --json of a tool), or with --series a folder of such.",
    "  maxlat report maxlat-run-20261121          the page, as report.html in that folder\n"
    "  maxlat report --series --text nightly/     the trend of all runs in it, and the first bad one\n"};

po::options_description make_options() {
  po::options_description options("Options");
  add_output_options(options);
  add_series_options(options);
  options.add_options()("help,h", "this help");
  return options;
}

core::Result<core::Exit> report_run(const core::CommandLine& line) {
  for (const char* option : {"store", "no-store"})
    if (line.has(option)) return core::Error{fmt::format("--{} is of --series", option), "a run alone needs no index"};
  const auto stored = read_operand(line.operands);
  if (!stored) return stored.error();
  if (line.has("output"))
    if (const core::Status apart = core::check_apart({line.get<std::string>("output")}, {stored->path}); !apart)
      return apart.error();
  const ReportForms forms{
      [&] { return html_report(stored->run); },
      [&](unsigned width, bool colour) { return terminal_summary(stored->run, width, colour); },
      [&] { return markdown_summary(stored->run); },
  };
  return write_report(forms, line, report_path(stored->path));
}

core::Result<core::Exit> run_report(const core::Arguments& arguments) {
  const auto parsed = core::parse_or_help(kHelp, make_options(), arguments);
  if (!parsed) return parsed.error();
  if (!*parsed) return core::Exit::pass;
  return (*parsed)->has("series") ? report_series(**parsed) : report_run(**parsed);
}

}  // namespace

const core::Command& report_command() {
  static constexpr core::Command kCommand = {"report", "make the report of a stored run again", run_report};
  return kCommand;
}

}  // namespace maxlat::reports
