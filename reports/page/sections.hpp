// SPDX-License-Identifier: MIT
//
// The sections of the page, in the order in which a reader meets them. Each writes nothing when it has nothing to say.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "html.hpp"
#include "plots/plot.hpp"
#include "view/arms_view.hpp"
#include "view/phase_view.hpp"
#include "view/tail_view.hpp"

namespace maxlat::reports {

struct DrawnPlot {
  Plot plot;
  std::string svg;  // cleaned; empty where gnuplot is not installed
};

void verdict_section(Html& html, const core::RunResult& run);
// What speaks for the figures and against them: controls, books, the meters' own cost, time watched, suspicious tails.
// Nothing where nothing was measured.
bool has_trust_section(const std::vector<PhaseView>& views);
void trust_section(Html& html, const core::RunResult& run, const std::vector<PhaseView>& views);
void phases_section(Html& html, const core::RunResult& run, const std::vector<PhaseView>& views);
void findings_section(Html& html, const core::RunResult& run, const std::vector<PhaseView>& views);
void reading_section(Html& html, const core::RunResult& run);
void preflight_section(Html& html, const core::RunResult& run);
void phase_section(Html& html, const PhaseView& view, const std::optional<TailView>& tail, const std::string& anchor,
                   std::span<const DrawnPlot> plots);
// Within the section of its phase.
void tail_part(Html& html, const TailView& tail);
// What else ran on the measured CPUs; nothing where nobody looked.
void activity_table(Html& html, const core::Phase& phase);
// The same with times, by the kernel's events; nothing where they were not recorded.
void interference_table(Html& html, const core::Phase& phase);
// Largest latency by CPU and time; nothing for one CPU, or where the meter tells no time line.
void heat_map(Html& html, const core::Phase& phase);
// The pairs of a preemption test; nothing for other phases.
void pairs_table(Html& html, const core::Phase& phase);
// An arm of a comparison, folded away in the section of the tracers: all arms have this look and no other.
void arm_details(Html& html, const PhaseView& view, const std::string& anchor);
void tracers_section(Html& html, const core::RunResult& run, const std::vector<PhaseView>& views,
                     const std::vector<ArmsView>& comparisons, const std::vector<std::vector<DrawnPlot>>& plots);
void machine_section(Html& html, const core::RunResult& run);

// Used by several of them.
std::string phase_anchor(size_t index);  // of the run's phases
// Indices of the phases in the order of the page. Those behind the pre-flight table come after it and the tracers.
std::vector<size_t> reading_order(const core::RunResult& run);
bool is_behind_the_preflight(const core::Phase& phase);
// All plots of a page, in their order. Without gnuplot none is drawn: that is no error, the page says it at its top
// (no_plots_note). ERRORS: those of draw() and of clean_svg().
core::Result<std::vector<DrawnPlot>> drawn(std::vector<Plot> plots);
void no_plots_note(Html& html);
void figure(Html& html, const DrawnPlot& drawn);
void plot_grid(Html& html, std::span<const DrawnPlot> plots);
void status_chip(Html& html, core::PhaseStatus status);
// Begins a table that scrolls in itself on a narrow screen, and writes its head. A name that begins with '#' heads a
// column of numbers. Rows are written while the guard lives.
class Table {
 public:
  Table(Html& html, std::string_view label, const std::vector<std::string>& columns, std::string_view style = {});

 private:
  Html::Element frame_, table_, body_;
};

}  // namespace maxlat::reports
