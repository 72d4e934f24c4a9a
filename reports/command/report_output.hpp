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
// Pages go to `page_path`, with .pdf in the place of .html, text and Markdown to standard output, unless -o says
// otherwise. `page_path` empty: -o must say it. Prints where a page is.
core::Result<core::Exit> write_report(const ReportForms& forms, const core::CommandLine& line,
                                      const std::string& page_path);

}  // namespace maxlat::reports
