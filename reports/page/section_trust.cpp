// SPDX-License-Identifier: MIT
//
// How far the figures can be trusted, before the figures: what was planted and found, whether the counts add up, what
// the meters cost themselves, how long was watched, and which tails look as if something else had made them.
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/phase_kind.hpp>

#include "sections.hpp"
#include "view/numbers.hpp"
#include "view/suspicions.hpp"

namespace maxlat::reports {
namespace {

enum class Speaks { for_it, against_it, neither };

void trust_row(Html& html, std::string_view what, Speaks speaks, std::string_view word, const std::string& text) {
  const auto row = html.element("tr");
  html.leaf("td", what, {{"class", "tight"}});
  {
    const auto cell = html.element("td");
    html.leaf("span", word,
              {{"class", speaks == Speaks::for_it       ? "chip pass"
                         : speaks == Speaks::against_it ? "chip invalid"
                                                        : "chip neutral"}});
  }
  html.leaf("td", with_micro_sign(text));
}

void control_rows(Html& html, const core::RunResult& run) {
  bool any = false;
  for (const core::Phase& phase : run.phases) {
    if (!phase.control || phase.status == core::PhaseStatus::skipped) continue;
    any = true;
    const bool passed = core::passed(*phase.control);
    trust_row(html, "control", passed ? Speaks::for_it : Speaks::against_it, passed ? "found" : "not found",
              fmt::format("{}, {}: {}", phase.name, phase.control->meter,
                          core::to_string(core::counts_of(phase.control->stalls), " planted stalls")));
  }
  if (!any)
    trust_row(html, "control", Speaks::against_it, "none",
              "No stall of known length was planted: that the meters find one is not shown by this run.");
}

void books_row(Html& html, const core::RunResult& run) {
  uint64_t beyond = 0;
  std::string wrong;
  for (const core::Phase& phase : run.phases) {
    for (const core::CpuResult& cpu : phase.per_cpu) beyond += cpu.overflow_count;
    if (!phase.events) continue;
    const core::EventCounts& events = *phase.events;
    if (events.recorded + events.lost() != events.produced)
      wrong += (wrong.empty() ? "" : ", ") + phase.name;
  }
  if (!wrong.empty())
    return trust_row(html, "books", Speaks::against_it, "do not balance",
                     "Events recorded and lost are not those produced: " + wrong + ".");
  trust_row(html, "books", Speaks::for_it, "balance",
            fmt::format("Every sample is counted in a histogram{}; a file in which one is missing is not read.",
                        beyond > 0 ? fmt::format(", or among the {} beyond its range", grouped(beyond)) : ""));
}

// What a difference must be larger than to be one, and what an empty loop takes.
void floor_row(Html& html, const core::RunResult& run) {
  std::string text;
  for (const core::Phase& phase : run.phases)
    if (const auto cost = phase.facts.find("loop_cost_ns"); cost != phase.facts.end() && phase.comparison.empty())
      text += fmt::format("{}{}: the loop itself takes {}\u202fns", text.empty() ? "" : "; ", phase.name, cost->second);
  for (const core::Comparison& comparison : run.comparisons)
    for (const core::MeasureDifference& measure : comparison.measures)
      if (measure.measure == "max" && measure.noise_floor_ns)
        text += fmt::format("{}{}: maxima of the base differ by {} from one measurement to the next",
                            text.empty() ? "" : "; ", comparison.arm, latency_html(*measure.noise_floor_ns));
  if (text.empty())
    trust_row(html, "noise floor", Speaks::neither, "not known",
              "One run does not know how it differs from the next: repeat it, and compare the folders.");
  else
    trust_row(html, "noise floor", Speaks::neither, "known", text + ".");
}

void watched_row(Html& html, const std::vector<PhaseView>& views) {
  std::string text;
  bool unknown = false;
  for (const PhaseView& view : views) {
    if (!core::kind_of(view.phase).measures || view.all.samples == 0 || !view.phase.comparison.empty()) continue;
    unknown |= !(view.all.exposure_s > 0);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", view.phase.name,
                        view.all.exposure_s > 0 ? seconds_html(view.all.exposure_s) : "not known");
  }
  if (!text.empty())
    trust_row(html, "watched", unknown ? Speaks::against_it : Speaks::neither, unknown ? "not all known" : "CPU time",
              text + ": what is rarer than once in that was not measured.");
}

void suspicion_rows(Html& html, const std::vector<PhaseView>& views) {
  for (const std::string& text : suspicious_phases(views))
    trust_row(html, "tail", Speaks::against_it, "suspicious", text);
}

}  // namespace

bool has_trust_section(const std::vector<PhaseView>& views) {
  return std::any_of(views.begin(), views.end(), [](const PhaseView& view) { return view.all.samples > 0; });
}

void trust_section(Html& html, const core::RunResult& run, const std::vector<PhaseView>& views) {
  if (!has_trust_section(views)) return;
  const auto section = html.element("section", {{"id", "trust"}});
  html.leaf("h2", "How far it can be trusted");
  const Table table(html, "Trust", {"about", "", "what this run tells of it"}, "cards");
  control_rows(html, run);
  books_row(html, run);
  floor_row(html, run);
  watched_row(html, views);
  suspicion_rows(html, views);
}

}  // namespace maxlat::reports
