// SPDX-License-Identifier: MIT
#pragma once

#include "series_words.hpp"

namespace maxlat::reports {

// For the terminal: the answers, then each line as a table of stretches of time, then what is set aside.
std::string series_text(const Trends& trends, const SeriesRuns& runs, unsigned width);
// The same as Markdown with tables, for a merge request.
std::string series_markdown(const Trends& trends, const SeriesRuns& runs);

}  // namespace maxlat::reports
