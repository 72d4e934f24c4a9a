// SPDX-License-Identifier: MIT
#include "report_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/core/sys/terminal.hpp>
#include <maxlat/reports/report.hpp>

namespace maxlat::reports {
namespace {

unsigned width_of_output() {
  return static_cast<unsigned>(core::terminal_width(STDOUT_FILENO).value_or(core::kScreenWidth));
}

// Narrower, its tables are no tables.
constexpr unsigned kNarrowest = 40;

bool is_page(const std::string& format) {
  return format == "html" || format == "pdf";
}

core::Result<std::string> made(const ReportForms& forms, const std::string& format, const core::CommandLine& line,
                               bool to_terminal) {
  if (format == "md") return forms.markdown();
  if (format == "text")
    return forms.text(line.has("width") ? line.get<unsigned>("width") : width_of_output(), to_terminal);
  if (format == "pdf") core::catch_stop_signals();  // a browser takes its time, and has a folder that must go
  auto page = forms.page();
  return page && format == "pdf" ? pdf_of(*page) : page;
}

}  // namespace

void add_output_options(boost::program_options::options_description& options) {
  auto add = options.add_options();
  add("output,o", core::argument("FILE"),
      "write to FILE (- is standard output); default: report.html beside result.json, NAME.html beside NAME.json, "
      "series.html in the folder of a series");
  add("format", core::argument("FORM"),
      "html (default), pdf (needs chromium), text for the terminal, md (Markdown) for a merge request");
  add("text", "the same as --format text; needs no gnuplot");
  add("width", core::argument<unsigned>("N"), "columns of the text, 40 and more (default: the terminal's, else 100)");
}

core::Result<std::string> format_of(const core::CommandLine& line) {
  const std::string format = line.has("format") ? line.get<std::string>("format") : line.has("text") ? "text" : "html";
  if (line.has("width") && line.get<unsigned>("width") < kNarrowest)
    return core::Error{fmt::format("--width {}: from {} columns on", line.get<unsigned>("width"), kNarrowest)};
  if (line.has("text") && format != "text")
    return core::Error{"--text and --format " + format + " are two forms", "leave one of them out"};
  for (const char* known : {"html", "pdf", "text", "md"})
    if (format == known) return format;
  return core::Error{fmt::format("--format: there is no \"{}\"", format), "forms are html, pdf, text, md"};
}

core::Result<std::string> output_of(const core::CommandLine& line, const std::string& page_path) {
  const auto format = format_of(line);
  if (!format) return format.error();
  if (line.has("output")) return line.get<std::string>("output");
  if (!is_page(*format)) return std::string("-");
  if (page_path.empty()) return core::Error{"a store has no folder for the page", "name a file with -o FILE"};
  return *format == "pdf" ? std::filesystem::path(page_path).replace_extension(".pdf").string() : page_path;
}

core::Result<core::Exit> write_report(const ReportForms& forms, const core::CommandLine& line,
                                      const std::string& page_path) {
  const auto output = output_of(line, page_path);
  if (!output) return output.error();
  const std::string &path = *output, format = *format_of(line);
  const auto text = made(forms, format, line, path == "-" && isatty(STDOUT_FILENO) != 0);
  if (!text) return text.error();
  const bool told = is_page(format) && path != "-";
  const core::Status written = told ? core::write_and_tell(path, *text) : core::write_atomically(path, *text);
  if (!written) {
    core::Error error = written.error();
    if (!line.has("output") && error.hint.empty()) error.hint = "write it elsewhere with -o FILE";
    return error;
  }
  if (const std::string why = no_plots_because(); is_page(format) && !why.empty())
    core::tell("maxlat report: {}\n", why);
  return core::Exit::pass;
}

}  // namespace maxlat::reports
