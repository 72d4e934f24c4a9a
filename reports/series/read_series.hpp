// SPDX-License-Identifier: MIT
//
// The runs of a series: of the results below a folder, of a store, or of both. What the store has of a file whose stamp
// is still the same is not read again.
//
// AN INDEX that this program makes by itself (kIndexName, in a folder with many results) is a convenience: one that is
// locked, damaged or in a folder that cannot be written is left alone, and every file is read. A store that the user
// named is an error then, for the results would not come to where they are wanted. The index forgets a result whose
// file is gone; such a store keeps it.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>
#include <vector>

#include "series_run.hpp"

namespace maxlat::reports {

inline constexpr const char* kIndexName = ".maxlat-series.sqlite";
inline constexpr size_t kManyResults = 100;  // fewer are read faster than anybody waits

struct SeriesSource {
  std::string folder;                  // empty: only the store
  std::optional<std::string> store{};  // a file or a URL; nothing: an index when there are many results
  bool no_store = false;
};

struct SeriesRuns {
  std::vector<SeriesRun> runs;      // in the order of time
  std::vector<std::string> unread;  // results that could not be read, and why
  std::vector<std::string> notes;   // about the store, and runs that were found twice
  std::vector<std::string> files;   // of the folder that may be results, and that of a store
  size_t read = 0;                  // results; the others came from the store
};

// ERRORS: the folder cannot be read, the store that was named cannot be used, there is no result.
core::Result<SeriesRuns> read_series(const SeriesSource& source);

}  // namespace maxlat::reports
