// SPDX-License-Identifier: MIT
//
// A trend: the same phase, measured in the same way, on the same box, again and again. Pure: runs in, values out;
// series_text.cpp and series_page.cpp show them.
//
// WHAT IS CALLED A CHANGE. A place where the ranks of a figure shift (core/stats/change_points.hpp), by more than
// kWorthTelling, with a chance of at most kCriesWolf over all figures of all lines together (Bonferroni). So one series
// in twenty in which nothing changes has a change somewhere. Five runs before and five behind are the fewest; with many
// lines more are needed, and what is said of a series names how many. A maximum grows with the time watched: where that
// changed, too, by more than twice, no change of the maximum is told.
//
// THE FIRST BAD RUN of a line is the one at which a figure became worse and has stayed so: what came later did not
// bring it back. Its place is known to a few runs only, so the machine's changes in the runs around it are told with
// their distance. Values that change in every fifth run or more often explain nothing, and are named as such.
#pragma once

#include <maxlat/core/machine/machine_difference.hpp>

#include "read_series.hpp"
#include "view/shown_from.hpp"

namespace maxlat::reports {

// What changed in the machine near a run.
struct MachineChange {
  size_t at = 0;                                     // index of the first run behind it, in the line
  std::vector<core::MachineDifference> differences;  // here: the later value
  std::vector<std::string> restless;                 // groups that also differ, as they do all the time
};

struct TrendChange {
  std::string figure;
  size_t at = 0;                       // index of the first run behind it, in the line
  double before_ns = 0, after_ns = 0;  // medians
  double p = 1;
  bool lasting = false;                  // worse, and nothing later brought it back
  std::optional<MachineChange> machine;  // the nearest; nothing: none was seen
  bool machine_known = true;             // the runs on both sides tell their machine
};

struct TrendLine {
  std::string box, phase, how;             // the phase as it is shown
  bool only_way = true;                    // the box has this phase measured in no other way
  std::vector<const SeriesRun*> runs;      // in the order of time
  std::vector<const SeriesPhase*> phases;  // of these
  std::vector<TrendChange> changes;        // in the order of runs
  std::optional<size_t> first_bad;         // index of the change that it is at
  bool watched_unalike = false;            // some more than twice as long as others
};

// A run whose verdict fails behind one whose verdict is a pass, of the same box by the same plan: the last such place,
// if no later pass. A run without a headline phase has no say: its verdict is not one of the box left alone.
struct FirstFail {
  std::string box, plan;
  const SeriesRun *run, *last_pass;
};

// What is left out of the lines.
struct SetAside {
  const SeriesRun* run;
  const SeriesPhase* phase;
};

struct Trends {
  std::vector<TrendLine> lines;  // by box, then by phase
  std::vector<FirstFail> fails;
  std::vector<SetAside> investigations, not_valid;
  size_t questions = 0;    // figures that were asked
  size_t fewest_runs = 0;  // that a line needs for a change to be told
};

// REQUIRES: `runs` outlive it.
Trends trends_of(const SeriesRuns& runs);

}  // namespace maxlat::reports
