// SPDX-License-Identifier: MIT
//
// Runs side by side: in what their machines and measurements differ, every figure of every phase, and what may be said
// of the differences. Pure: runs in, values out; compare_text.cpp and compare_page.cpp show them.
//
// The first group is the base; each of the others is compared with it. A group is one run, or repeats of one build.
//
// WHAT IS CALLED A DIFFERENCE. It must be larger than `ratio` (small ones are of no use to anybody), and shown:
//   repeats    of both, enough that ranks can be significant (core/stats/repeats.hpp): by ranks, corrected for all
//              figures asked (Holm 1979). It is shown of the builds, because the noise from run to run is in it.
//   one run    or few: a quantile's intervals (order statistics, at a level corrected for all figures asked) do not
//              touch; and of the tail, too many of the largest samples of both are the other's alone (Rosenbaum 1954:
//              when k of the other lie above the base's maximum, the chance of that is its share of the time watched to
//              the power of k; samples within one step of the time line count once). It is shown of these runs. How a
//              build differs from itself, one run of it does not know, and the words say so.
// Means are shown and not judged: a tail hides in them.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::reports {

struct RunGroup {
  std::string name;                   // as the user named it
  std::vector<core::RunResult> runs;  // one or more
};

struct Difference {
  enum class Kind { not_shown, smaller, larger, not_judged } kind = Kind::not_judged;
  double ratio = 0;  // other / base; 0: one of them is not there, or is 0
};

struct FigureRow {
  std::string name;                                // "p99.9"
  std::vector<std::optional<double>> values_ns{};  // by group: the median of its runs; of all CPUs together
  std::vector<Difference> differences{};           // of the groups behind the first
};

struct PhaseRow {
  std::string name;
  std::vector<core::CpuResult> all{};  // by group: all runs and CPUs together; no samples: it has no such phase
  std::vector<std::string> unlike{};   // of the groups behind the first: what was measured otherwise, or ""
  std::vector<FigureRow> figures{};
  bool in_all_groups() const;
};

struct MachineRow {
  std::string group, name;
  std::vector<std::string> values{};  // by group of runs, of its first; "": not there
};

struct ComparedRuns {
  std::vector<std::string> names{};  // of the groups
  std::vector<size_t> runs{};        // so many in each
  std::vector<MachineRow> machine{};
  std::vector<PhaseRow> phases{};
  std::vector<std::string> verdict{};  // sentences, the most important first
  bool worse = false;                  // something is larger
  bool alike = true;                   // the phases that both have were measured alike, and there is one
};

struct CompareOptions {
  double ratio = 1.1;
  double alpha = 0.05;
};

// REQUIRES: two groups or more, none empty.
ComparedRuns compare_runs(const std::vector<RunGroup>& groups, const CompareOptions& options = {});

}  // namespace maxlat::reports
