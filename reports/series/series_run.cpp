// SPDX-License-Identifier: MIT
#include "series_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/phase_kind.hpp>

#include "view/box.hpp"
#include "view/measured_alike.hpp"
#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

using Use = SeriesPhase::Use;

constexpr std::array<const char*, 3> kUses = {"headline", "investigation", "not valid"};

// A tracer beside the measurement, or in it, costs time; and a run that ends at its first large sample has no quantile.
std::optional<std::string> looked_into(const core::Phase& phase) {
  if (!is_of_the_box(phase))
    return phase.arm.empty() ? fmt::format("it is about a tracer, not the box")
                             : "with the tracepoints of " + phase.arm;
  if (!phase.comparison.empty()) return "an arm of the comparison " + phase.comparison;
  if (phase.events) return "events were traced";
  if (auto why = ends_at_a_limit(phase)) return why;
  for (const core::CpuResult& cpu : phase.per_cpu)
    for (const core::Outlier& outlier : cpu.outliers)
      if (!outlier.events.empty()) return "a tracer ran beside it";
  const std::string words = " " + phase.command + " ";
  for (const char* option : {"--above", "--tracemark", "--breaktrace"})
    if (words.find(fmt::format(" {} ", option)) != std::string::npos ||
        words.find(fmt::format(" {}=", option)) != std::string::npos)
      return fmt::format("it was run with {}", option);
  return std::nullopt;
}

SeriesPhase series_phase(const core::Phase& phase) {
  SeriesPhase kept;
  kept.name = phase.name;
  kept.kind = phase.kind;
  kept.how = how_measured(phase);
  if (auto unfit = unfit_because(phase)) {
    kept.use = Use::not_valid;
    kept.why = *std::move(unfit);
  } else if (auto why = looked_into(phase)) {
    kept.use = Use::investigation;
    kept.why = *std::move(why);
  }
  const core::CpuResult all = merge_cpus(phase);
  kept.samples = all.samples;
  kept.exposure_s = phase.exposure_s;
  for (const core::QuantileLevel& level : core::kQuantileLevels)
    kept.figures_ns.push_back(shown_quantile(phase, all, level.level));
  kept.figures_ns.push_back(all.samples > 0 ? std::optional(all.max_ns) : std::nullopt);
  return kept;
}

// A label says more than which box it is ("box 17, release 13"), so it names the box only where nothing else does.
std::string box_name(const core::RunResult& run) {
  return box_of(run).value_or(run.label.empty() ? "a box that its results do not tell" : run.label);
}

// The user's words about the run.
std::vector<std::pair<std::string, std::string>> notes_of(const core::RunResult& run) {
  std::vector<std::pair<std::string, std::string>> notes(run.annotations.begin(), run.annotations.end());
  if (!run.label.empty()) notes.emplace_back("label", run.label);
  return notes;
}

core::FingerprintGroup made_group(std::string name, std::vector<std::pair<std::string, std::string>> values) {
  return {.name = std::move(name), .hash = "", .values = std::move(values)};
}

}  // namespace

std::string shown_name(const SeriesPhase& phase) {
  return phase.name + (tells_upper_bound(phase.how) ? " (upper bound)" : "");
}

const std::vector<std::string>& series_figures() {
  static const std::vector<std::string> kFigures = [] {
    std::vector<std::string> names;
    for (const core::QuantileLevel& level : core::kQuantileLevels) names.emplace_back(level.label);
    names.emplace_back("max");
    return names;
  }();
  return kFigures;
}

std::shared_ptr<const core::FingerprintGroup> MachineGroups::shared(core::FingerprintGroup group) {
  auto& alike = by_key_[group.name + "\n" + group.hash];
  for (const auto& one : alike)
    if (one->values == group.values) return one;
  return alike.emplace_back(std::make_shared<const core::FingerprintGroup>(std::move(group)));
}

SeriesRun series_run(const core::RunResult& run, MachineGroups& groups) {
  SeriesRun kept;
  kept.id = run.id;
  kept.started = run.started;
  for (const core::Phase& phase : run.phases)
    if (kept.started.empty()) kept.started = phase.started;
  kept.box = box_name(run);
  kept.plan = run.plan;
  kept.verdict = core::to_string(run.verdict.kind);
  for (const core::FingerprintGroup& group : run.machine) kept.machine.push_back(groups.shared(group));
  kept.machine.push_back(groups.shared(made_group("measured by", {{"maxlat", run.tool}, {"build", run.build}})));
  if (auto notes = notes_of(run); !notes.empty())
    kept.machine.push_back(groups.shared(made_group("notes", std::move(notes))));
  for (const core::Phase& phase : run.phases)
    if (core::kind_of(phase).measures) kept.phases.push_back(series_phase(phase));
  return kept;
}

const char* to_string(Use use) {
  return kUses[static_cast<size_t>(use)];
}

Use use_of(std::string_view text) {
  const auto found = std::find(kUses.begin(), kUses.end(), text);
  return found == kUses.end() ? Use::not_valid : static_cast<Use>(found - kUses.begin());
}

}  // namespace maxlat::reports
