// SPDX-License-Identifier: MIT
#include "comparison_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/stats/comparison.hpp>
#include <maxlat/npt/measure.hpp>
#include <optional>

#include "arms_run.hpp"
#include "looks.hpp"
#include "merged_phase.hpp"
#include "round_order.hpp"

namespace maxlat::npt {
namespace {

constexpr std::size_t kBase = 0, kBaseAgain = 1;

struct ArmInRun {
  std::string spec, label;
  ArmLooks seen;
  std::optional<core::Phase> ended;  // why it is out, and not compared
};

std::vector<ArmInRun> arms_of(const ComparisonPlan& plan) {
  const std::vector<std::string> labels = arm_labels(plan.arms);
  std::vector<ArmInRun> arms;
  for (std::size_t i = 0; i < labels.size(); ++i)
    arms.push_back({plan.arms[i == kBase ? 0 : i - 1], labels[i], {}, std::nullopt});
  return arms;
}

// A run that is not valid in one look is not valid.
std::optional<core::Phase> not_ok(const std::vector<core::Phase>& run) {
  for (const core::Phase& phase : run)
    if (phase.status != core::PhaseStatus::ok) return phase;
  return {};
}

// What became of a round.
enum class RoundEnd { complete, stopped, base_is_out, base_is_alone };

class Rounds {
 public:
  Rounds(std::vector<ArmInRun>& arms, const ComparisonPlan& plan, const RunArm& run_arm, const OnRun& on_run)
      : arms_(arms), run_arm_(run_arm), on_run_(on_run), all_runs_(arms.size() * plan.rounds) {}

  RoundEnd run(unsigned round, const std::vector<std::size_t>& order) {
    std::vector<std::vector<RoundOfArm>> results(arms_.size());
    for (std::size_t place = 0; place < order.size(); ++place, ++done_) {
      ArmInRun& arm = arms_[order[place]];
      if (arm.ended) continue;
      if (on_run_) on_run_(round, arm.label, done_, all_runs_);
      std::vector<core::Phase> phases = run_arm_(arm.spec);
      if (std::optional<core::Phase> wrong = not_ok(phases)) {
        if (wrong->status == core::PhaseStatus::interrupted) return RoundEnd::stopped;
        if (round > 1) wrong->reason = fmt::format("round {}: {}", round, wrong->reason);
        arm.ended = std::move(wrong);
        if (order[place] == kBase || order[place] == kBaseAgain) return RoundEnd::base_is_out;
        if (base_is_alone()) return RoundEnd::base_is_alone;
        continue;
      }
      for (core::Phase& phase : phases)
        results[order[place]].push_back({round, static_cast<unsigned>(place + 1), std::move(phase)});
    }
    for (std::size_t i = 0; i < arms_.size(); ++i)
      for (RoundOfArm& result : results[i]) enter(std::move(result), arms_[i].seen.looks);
    return RoundEnd::complete;
  }

 private:
  bool base_is_alone() const {
    return std::all_of(arms_.begin() + kBaseAgain + 1, arms_.end(),
                       [](const ArmInRun& arm) { return arm.ended.has_value(); });
  }

  std::vector<ArmInRun>& arms_;
  const RunArm& run_arm_;
  const OnRun& on_run_;
  std::size_t done_ = 0, all_runs_;
};

// An arm that is out has no figures: those of its earlier rounds are not comparable with anything, and those of the
// round that put it out were not measured as they should have been.
core::Phase without_figures(core::Phase phase) {
  phase.per_cpu.clear();
  phase.paths.clear();
  phase.events.reset();
  phase.exposure_s = 0;
  return phase;
}

// Of the arms that are out, the first: a person who reads of another one asks why there was nothing to compare it with.
std::string first_that_ended(const std::vector<ArmInRun>& arms) {
  const auto first = std::find_if(arms.begin(), arms.end(), [](const ArmInRun& arm) { return arm.ended.has_value(); });
  return first == arms.end() ? std::string() : fmt::format("; {}: {}", first->label, first->ended->reason);
}

// The arm as it stands in the result, in this look. The first look has every arm, the others those with figures.
std::optional<core::Phase> phase_of(const ArmInRun& arm, const std::string& gaps, bool first_look,
                                    const ComparisonPlan& plan, const ComparedArms& so_far, const std::string& ended) {
  core::Phase phase;
  const Look* const look = arm.ended ? nullptr : look_at(arm.seen.looks, gaps);
  if (look == nullptr && !first_look) return {};
  if (arm.ended) {
    phase = without_figures(*arm.ended);
  } else if (look != nullptr) {
    phase = merged_phase(look->rounds);
  } else if (const auto missing = arm.seen.missing.find(gaps); missing != arm.seen.missing.end()) {
    phase.status = core::PhaseStatus::skipped;
    phase.reason = missing->second;
  }
  for (const auto& [missing, text] : arm.seen.missing)
    if (first_look && text != phase.reason) phase.warnings.push_back(text);
  if (!arm.ended && so_far.complete_rounds < plan.rounds) {
    phase.status = so_far.interrupted ? core::PhaseStatus::interrupted : core::PhaseStatus::skipped;
    phase.reason = fmt::format("{} of {} rounds are complete{}", so_far.complete_rounds, plan.rounds,
                               so_far.interrupted ? "" : ": nothing was left to compare it with" + ended);
  }
  phase.kind = core::kTracerKind.name;
  phase.arm = arm.label;
  phase.name = plan.name + ": " + arm.label + (gaps.empty() ? "" : " (" + gaps + ")");
  phase.gaps = gaps;
  phase.comparison = plan.name;
  return phase;
}

std::vector<core::CpuResult> cpu_rounds(const Look& look) {
  std::vector<core::CpuResult> rounds;
  for (const RoundOfArm& round : look.rounds) rounds.push_back(round.phase.per_cpu.front());
  return rounds;
}

// An arm that drops events is fast because of it: to be known with the verdict, not only in a row of the table.
std::string loss_in_words(const ArmInRun& arm) {
  core::EventCounts events;
  for (const RoundOfArm& round : arm.seen.looks.front().rounds)
    if (round.phase.events) add(events, *round.phase.events);
  const uint64_t lost = events.lost_full + events.lost_wrap + events.lost_big;
  if (lost == 0) return {};
  return fmt::format("; it lost {:.3g} % of its events, so a part of this is what dropping costs (-f limits the rate)",
                     100 * static_cast<double>(lost) / static_cast<double>(events.produced));
}

// Of one look.
void compare_with_base(const std::vector<ArmInRun>& arms, const std::string& gaps, bool first_look,
                       const ComparisonPlan& plan, std::vector<core::Comparison>& comparisons) {
  const Look* const base = look_at(arms[kBase].seen.looks, gaps);
  const Look* const again = look_at(arms[kBaseAgain].seen.looks, gaps);
  if (arms[kBase].ended || arms[kBaseAgain].ended || base == nullptr || again == nullptr) return;
  const std::vector<core::CpuResult> before = cpu_rounds(*base), before_again = cpu_rounds(*again);
  for (std::size_t i = kBaseAgain + 1; i < arms.size(); ++i) {
    const Look* const look = arms[i].ended ? nullptr : look_at(arms[i].seen.looks, gaps);
    if (look == nullptr) continue;
    const std::vector<core::CpuResult> after = cpu_rounds(*look);
    core::Comparison comparison =
        core::compare_rounds({arms[kBase].label, before}, {arms[i].label, after}, before_again, gaps);
    comparison.name = plan.name;
    comparison.beside = !first_look;
    if (gaps != kWaitingWindows) comparison.verdict += loss_in_words(arms[i]);  // nothing is dropped in those
    comparisons.push_back(std::move(comparison));
  }
}

}  // namespace

std::vector<std::string> arm_labels(const std::vector<std::string>& arms) {
  std::vector<std::string> labels = numbered(arms);
  labels.insert(labels.begin() + kBaseAgain, arms.front() + " (again)");
  return labels;
}

ComparedArms compare_arms(const ComparisonPlan& plan, const RunArm& run_arm, const OnRun& on_run) {
  std::vector<ArmInRun> arms = arms_of(plan);
  ComparedArms compared;
  Rounds rounds(arms, plan, run_arm, on_run);
  const auto orders = round_orders(arms.size(), plan.rounds, plan.seed);
  for (unsigned round = 1; round <= plan.rounds; ++round) {
    const RoundEnd end = rounds.run(round, orders[round - 1]);
    compared.interrupted = end == RoundEnd::stopped;
    if (end != RoundEnd::complete) break;
    ++compared.complete_rounds;
  }
  std::vector<ArmLooks*> valid;
  for (ArmInRun& arm : arms)
    if (!arm.ended) valid.push_back(&arm.seen);
  std::vector<std::string> looks = arrange_looks(valid, compared.complete_rounds);
  if (looks.empty()) looks.emplace_back();  // nothing was measured, and the arms say why
  const std::string ended = first_that_ended(arms);
  for (const std::string& gaps : looks) {
    const bool first_look = gaps == looks.front();
    for (const ArmInRun& arm : arms)
      if (auto phase = phase_of(arm, gaps, first_look, plan, compared, ended))
        compared.phases.push_back(std::move(*phase));
    compare_with_base(arms, gaps, first_look, plan, compared.comparisons);
  }
  return compared;
}

}  // namespace maxlat::npt
