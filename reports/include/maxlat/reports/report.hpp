// SPDX-License-Identifier: MIT
//
// A run, told to people: one self-contained HTML file, and a summary for the terminal. Both are made from the result
// model alone, so `maxlat report DIR` makes them again from result.json.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/core/sys/terminal.hpp>
#include <string>
#include <vector>

namespace maxlat::reports {

// Verdict and reasons first, then how far they can be trusted, pre-flight, phases with their plots, loads, machine.
// Plots are inline SVG by gnuplot; no network; readable on paper, on a phone and without its script. Without gnuplot
// the page has no plots, and says so. ERRORS: gnuplot fails, cannot write.
core::Result<std::string> html_report(const core::RunResult& run);
core::Status write_html(const core::RunResult& run, const std::string& path);

// Why pages that are made here have no plots, for a terminal; empty: they have them.
std::string no_plots_because();

// The page, printed by headless Chromium. ERRORS: there is none (hint: the package), it failed, or a
// stop was requested (core/sys/stop.hpp).
core::Result<std::string> pdf_of(const std::string& page);

// Verdict, figures of the phases and findings as tables of Markdown, for a merge request.
std::string markdown_summary(const core::RunResult& run);

// The same without gnuplot, whole. `width` in columns; `colour` for a terminal.
std::string terminal_summary(const core::RunResult& run, unsigned width = core::kScreenWidth, bool colour = false);

// The end of a run, one screen: at most so many lines, of which the verdict and `last` (where the report is) are the
// last. What does not fit is counted, and said to be found by `more`, a command.
inline constexpr unsigned kSummaryLines = 25;
std::string run_summary(const core::RunResult& run, const std::string& more, const std::vector<std::string>& last,
                        unsigned width = core::kScreenWidth, bool colour = false);

}  // namespace maxlat::reports
