// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/reports/report.hpp>
#include <maxlat/reports/report_command.hpp>

#include "result_path.hpp"

namespace maxlat::reports {
namespace {

namespace po = boost::program_options;

constexpr unsigned kDefaultWidth = 100;

constexpr core::CommandHelp kHelp = {
    "maxlat report [options] RUN",
    "Makes the report of a stored run again, from its result file alone.\nRUN is the folder of a run, or a result file "
    "(of `maxlat run`, or of --json of a tool).",
    "  maxlat report maxlat-run-20261121          the page, as report.html in that folder\n"
    "  maxlat report --text npt.json              the same in the terminal, without gnuplot\n"};

po::options_description make_options() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("output,o", core::argument("FILE"),
      "write the page to FILE (- is standard output); default: report.html beside result.json, "
      "NAME.html beside NAME.json");
  add("text", "a summary for the terminal instead of the page; needs no gnuplot");
  add("width", core::argument<unsigned>("N"), "columns of the summary (default: the terminal's, else 100)");
  add("help,h", "this help");
  return options;
}

unsigned terminal_width() {
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kDefaultWidth;
}

core::Status print(const core::RunResult& run, const core::CommandLine& line) {
  const unsigned width = line.has("width") ? line.get<unsigned>("width") : terminal_width();
  const bool to_file = line.has("output") && line.get<std::string>("output") != "-";
  const std::string text = terminal_summary(run, width, !to_file && isatty(STDOUT_FILENO) != 0);
  return core::write_atomically(to_file ? line.get<std::string>("output") : "-", text);
}

core::Result<core::Exit> run_report(const core::Arguments& arguments) {
  const auto options = make_options();
  const auto parsed = core::parse_or_help(kHelp, options, arguments);
  if (!parsed) return parsed.error();
  if (!*parsed) return core::Exit::pass;
  const core::CommandLine& line = **parsed;
  const auto stored = read_operand(line.operands);
  if (!stored) return stored.error();

  if (line.has("output"))
    if (const core::Status apart = core::check_apart({line.get<std::string>("output")}, {stored->path}); !apart)
      return apart.error();
  if (line.has("text")) {
    if (const auto printed = print(stored->run, line); !printed) return printed.error();
    return core::Exit::pass;
  }
  const std::string path = line.has("output") ? line.get<std::string>("output") : report_path(stored->path);
  if (const auto written = write_html(stored->run, path); !written) {
    core::Error error = written.error();
    if (!line.has("output") && error.hint.empty()) error.hint = "write it elsewhere with -o FILE";
    return error;
  }
  if (path != "-") fmt::print("{}\n", path);
  return core::Exit::pass;
}

}  // namespace

const core::Command& report_command() {
  static constexpr core::Command kCommand = {"report", "make the report of a stored run again", run_report};
  return kCommand;
}

}  // namespace maxlat::reports
