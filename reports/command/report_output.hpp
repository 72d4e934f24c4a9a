// SPDX-License-Identifier: MIT
//
// In which form a report goes where: what `maxlat report` of a run and of a series have in common.
#pragma once

#include <functional>
#include <maxlat/core/sys/cli_kit.hpp>
#include <string>

namespace maxlat::reports {

struct ReportForms {
  std::function<core::Result<std::string>()> page;
  std::function<std::string(unsigned width, bool colour)> text;
  std::function<std::string()> markdown;
};

void add_output_options(boost::program_options::options_description& options);
// "html", "pdf", "text" or "md". ERRORS: another.
core::Result<std::string> format_of(const core::CommandLine& line);
// Where the report goes: `page_path`, with .pdf in the place of .html, for a page, standard output ("-") for text and
// Markdown, unless -o says otherwise. ERRORS: no such form; a page whose `page_path` is empty, without -o.
core::Result<std::string> output_of(const core::CommandLine& line, const std::string& page_path);
// Writes it there, and prints where a page is.
core::Result<core::Exit> write_report(const ReportForms& forms, const core::CommandLine& line,
                                      const std::string& page_path);

}  // namespace maxlat::reports
