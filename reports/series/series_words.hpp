// SPDX-License-Identifier: MIT
//
// A series in words: terminal, page and Markdown say the same.
#pragma once

#include "series.hpp"

namespace maxlat::reports {

// Those with a first bad run first, then those with a change.
std::vector<const TrendLine*> lines_by_urgency(const Trends& trends);

// "npt under load on box 17", and how it was measured where the box has several ways.
std::string line_name(const TrendLine& line);
// "max 12.1 us -> 45.0 us (x 3.7)"
std::string change_text(const TrendChange& change);
// "2026-03-01T02:00:00Z (nightly/0301/result.json)"
std::string run_text(const SeriesRun& run);
// What of the machine changed there; several sentences where several groups did.
std::vector<std::string> machine_text(const TrendLine& line, const TrendChange& change);

// The answers first, then what limits them.
struct SeriesSaid {
  bool bad = false;  // a first bad run, or a first fail, was found
  struct Finding {
    std::string text;
    std::vector<std::string> details;
  };
  std::vector<Finding> findings;
  std::vector<std::string> limits;
};
SeriesSaid said_of(const Trends& trends, const SeriesRuns& runs);

// "38 x npt: with the tracepoints of lttng-ust:timer": each reason once, most frequent first.
std::vector<std::string> reasons_of(const std::vector<SetAside>& aside);

// A stretch of a line's runs, for a table of the trend.
struct Stretch {
  size_t first = 0, end = 0;                      // of the line's runs
  std::vector<std::optional<double>> medians_ns;  // by figure; of "max" the largest
};
std::vector<Stretch> stretches_of(const TrendLine& line, size_t most);

}  // namespace maxlat::reports
