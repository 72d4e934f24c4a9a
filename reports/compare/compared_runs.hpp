// SPDX-License-Identifier: MIT
//
// Runs side by side: in what their machines and measurements differ, every figure of every phase, and what may be said
// of the differences. Pure: runs in, values out; compare_text.cpp and compare_page.cpp show them.
//
// The first group is the base; each of the others is compared with it. A group is one run, or repeats of one build.
//
// WHAT IS CALLED A DIFFERENCE. It must be larger than `ratio` (small ones are of no use to anybody), and shown:
//   repeats    of both, enough that ranks can be significant (core/stats/repeats.hpp): by ranks, corrected for all
//              figures asked (Holm 1979). It is shown of the builds, because the noise from run to run is in it, and
//              of these runs alone where they were not measured alike. Maxima grow with the time watched, so where one
//              was watched more than twice as long as another they do not compare.
//   fewer      a quantile's intervals (order statistics) do not touch. They are as wide as samples that depend on one
//              another make them, where the time line tells of that (core/stats/sample_dependence.hpp); where it does
//              not, it is said that samples are taken as independent. That is of these runs, and is told; it makes
//              nothing worse, for how a build differs from itself these runs do not know.
//              A tail is worse when too many of the largest of both are the other's alone (Rosenbaum 1954): when k
//              events of the other lie above the base's maximum, and it has the share s of all that was watched, the
//              chance is s^k, for either side. An event is a step of the time line with such a maximum on any CPU (of a
//              meter that tells a running maximum, a step in which it rises). Steps that follow one another may be of
//              one disturbance, which lasts: of the builds a tail is shown by disturbances, each of them one event, and
//              by steps of these runs alone. So a burst, and a stall of all CPUs, count once. Without time lines,
//              samples are counted, and their share is that of samples: which of them are of one disturbance is not
//              known, so that they, too, tell of these runs alone.
// Means are shown and not judged: a tail hides in them.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <optional>
#include <string>
#include <vector>

#include "view/shown_from.hpp"

namespace maxlat::reports {

struct RunGroup {
  std::string name;                   // as the user named it
  std::vector<core::RunResult> runs;  // one or more
};

struct Difference {
  // smaller_here, larger_here: in these runs; not shown of the builds.
  enum class Kind { not_judged, not_shown, smaller, larger, smaller_here, larger_here } kind = Kind::not_judged;
  double ratio = 0;  // other / base; 0: one of them is not there, or is 0. By ranks: of the shift between the groups
  std::string not_comparable{};           // why it is not judged though both have it; "": nothing is against it
  std::string taken_as_independent{};     // its samples, by an interval; why. "": nothing is assumed of them
  std::optional<double> share_greater{};  // by ranks: of all pairs of runs, those in which the other's is greater
};

struct FigureRow {
  std::string name;                                // "p99.9"
  std::vector<std::optional<double>> values_ns{};  // by group: the median of its runs; of all CPUs together
  std::vector<Difference> differences{};           // of the groups behind the first
};

struct PhaseRow {
  std::string name;                    // as it is shown: an upper bound in any group is named as one
  std::vector<core::CpuResult> all{};  // by group: all runs and CPUs together; no samples: it has no such phase
  std::vector<std::string> unlike{};   // of the groups behind the first: what was measured otherwise, or ""
  std::vector<FigureRow> figures{};
};

struct MachineRow {
  std::string group, name;
  std::vector<std::string> values{};  // by group of runs, "A / B" where its runs differ; "": not there
};

struct ComparedRuns {
  std::vector<std::string> names{};  // of the groups
  std::vector<size_t> runs{};        // so many in each
  std::vector<MachineRow> machine{};
  std::vector<std::string> machine_not_told{};  // sentences: who does not tell which group
  std::vector<PhaseRow> phases{};
  std::vector<std::string> verdict{};  // sentences, the most important first
  bool machines_known = true;          // every run tells its machine
  std::vector<std::string> spoiled{};  // why a run cannot be believed, or is not whole
  bool by_ranks = true;                // every figure that was judged
  bool worse = false;                  // something is larger
  bool undecided = false;              // something is larger in these runs, and repeats would tell
  bool alike = true;                   // every phase is measured in all, and alike; nothing is spoiled
};

struct CompareOptions {
  double ratio = kWorthTelling;
  double alpha = kCriesWolf;
};

// REQUIRES: two groups or more, none empty.
ComparedRuns compare_runs(const std::vector<RunGroup>& groups, const CompareOptions& options = {});

}  // namespace maxlat::reports
