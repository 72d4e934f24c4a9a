// SPDX-License-Identifier: MIT
//
// What the largest latencies of a phase let expect of a longer time: plan-length, page, terminal and Markdown say the
// same, because they take it from here. The statistics, and what is refused, are core's (tail_fit.hpp).
//
// TIME is CPU time watched, as everywhere: four CPUs watch four hours in one. The time line counts steps of the box, of
// all CPUs together. How much CPU time one of them is depends on how many CPUs a large latency is of: one that stops
// all CPUs is one exceedance of each.
#pragma once

#include <maxlat/core/stats/tail_fit.hpp>
#include <optional>
#include <string>
#include <vector>

#include "phase_view.hpp"

namespace maxlat::reports {

core::TailFit tail_of(const PhaseView& view);

// The latency that is exceeded once in so much CPU time. REQUIRES: an accepted fit. ERRORS: those of
// core::return_level().
core::Result<core::ReturnLevel> level_in(const PhaseView& view, const core::TailFit& fit, double period_s);

// How much CPU time so many steps of the time line are.
double cpu_time_of_steps(const PhaseView& view, const core::TailFit& fit, double steps);

// Exceedances of so high a latency that the tail lets expect in a second of CPU time; 0 beyond the end of a tail that
// has one. REQUIRES: an accepted fit, and a latency above its threshold.
double rate_above(const PhaseView& view, const core::TailFit& fit, double ns);

struct TailLevel {
  const char* period = "";  // "1 h"
  double period_s = 0;
  core::ReturnLevel level;
};

struct TailView {
  core::TailFit fit;
  std::vector<TailLevel> levels;  // of an hour, a day, a week, 30 days, as far as the run reaches
  std::string refusal;            // one sentence: why a longer time has no level, or why none has; empty: all have one
};
// Nothing where there is nothing to ask: the phase is not valid, measures a tracer and not the box, or its meter found
// nothing above its threshold.
std::optional<TailView> tail_view(const PhaseView& view);

// "once in 1 h of CPU time 11.2 us (10.9 us to 11.8 us), in 1 d 14.3 us (...); of 360 maxima above 7.3 us; all checks
// hold, the least p is 0.21"; or why there is none. Plain ASCII.
std::string tail_sentence(const TailView& tail);
// The levels alone, for one line. REQUIRES: there are some.
std::string tail_levels(const TailView& tail);

}  // namespace maxlat::reports
