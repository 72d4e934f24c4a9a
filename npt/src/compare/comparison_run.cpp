// SPDX-License-Identifier: MIT
#include "compare/comparison_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/comparison.hpp>
#include <optional>

#include "compare/merged_phase.hpp"
#include "compare/round_order.hpp"

namespace maxlat::npt {
namespace {

constexpr std::size_t kBase = 0, kBaseAgain = 1;

struct Arm {
  std::string spec, label;
  std::vector<RoundOfArm> rounds;    // complete ones
  std::optional<core::Phase> ended;  // why it is out, and not compared
};

std::vector<Arm> arms_of(const ComparisonPlan& plan) {
  const std::vector<std::string> labels = arm_labels(plan.arms);
  std::vector<Arm> arms;
  for (std::size_t i = 0; i < labels.size(); ++i)
    arms.push_back({plan.arms[i == kBase ? 0 : i - 1], labels[i], {}, std::nullopt});
  return arms;
}

// What became of a round.
enum class RoundEnd { complete, stopped, base_is_out, base_is_alone };

class Rounds {
 public:
  Rounds(std::vector<Arm>& arms, const ComparisonPlan& plan, const RunArm& run_arm, const OnRun& on_run)
      : arms_(arms), run_arm_(run_arm), on_run_(on_run), all_runs_(arms.size() * plan.rounds) {}

  RoundEnd run(unsigned round, const std::vector<std::size_t>& order) {
    std::vector<std::optional<RoundOfArm>> results(arms_.size());
    for (std::size_t place = 0; place < order.size(); ++place, ++done_) {
      Arm& arm = arms_[order[place]];
      if (arm.ended) continue;
      if (on_run_) on_run_(round, arm.label, done_, all_runs_);
      core::Phase phase = run_arm_(arm.spec);
      if (phase.status == core::PhaseStatus::interrupted) return RoundEnd::stopped;
      if (phase.status != core::PhaseStatus::ok) {
        if (round > 1) phase.reason = fmt::format("round {}: {}", round, phase.reason);
        arm.ended = std::move(phase);
        if (order[place] == kBase || order[place] == kBaseAgain) return RoundEnd::base_is_out;
        if (base_is_alone()) return RoundEnd::base_is_alone;
        continue;
      }
      results[order[place]] = RoundOfArm{round, static_cast<unsigned>(place + 1), std::move(phase)};
    }
    for (std::size_t i = 0; i < arms_.size(); ++i)
      if (results[i]) arms_[i].rounds.push_back(std::move(*results[i]));
    return RoundEnd::complete;
  }

 private:
  bool base_is_alone() const {
    return std::all_of(arms_.begin() + kBaseAgain + 1, arms_.end(),
                       [](const Arm& arm) { return arm.ended.has_value(); });
  }

  std::vector<Arm>& arms_;
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

// The arm as it stands in the result.
core::Phase phase_of(const Arm& arm, const ComparisonPlan& plan, const ComparedArms& so_far) {
  core::Phase phase;
  if (arm.ended) {
    phase = without_figures(*arm.ended);
  } else if (!arm.rounds.empty()) {
    phase = merged_phase(arm.rounds);
  }
  if (!arm.ended && so_far.complete_rounds < plan.rounds) {
    phase.status = so_far.interrupted ? core::PhaseStatus::interrupted : core::PhaseStatus::skipped;
    phase.reason = fmt::format("{} of {} rounds are complete{}", so_far.complete_rounds, plan.rounds,
                               so_far.interrupted ? "" : ": nothing was left to compare it with");
  }
  phase.kind = "tracer";
  phase.arm = arm.label;
  phase.name = plan.name + ": " + arm.label;
  phase.comparison = plan.name;
  return phase;
}

std::vector<core::CpuResult> cpu_rounds(const Arm& arm) {
  std::vector<core::CpuResult> rounds;
  for (const RoundOfArm& round : arm.rounds) rounds.push_back(round.phase.per_cpu.front());
  return rounds;
}

// An arm that drops events is fast because of it: to be known with the verdict, not only in a row of the table.
std::string loss_in_words(const core::Phase& arm) {
  if (!arm.events || arm.events->produced == 0) return {};
  const core::EventCounts& events = *arm.events;
  const uint64_t lost = events.lost_full + events.lost_wrap + events.lost_big;
  if (lost == 0) return {};
  return fmt::format("; it lost {:.3g} % of its events, so a part of this is what dropping costs (-f limits the rate)",
                     100 * static_cast<double>(lost) / static_cast<double>(events.produced));
}

std::vector<core::Comparison> comparisons_of(const std::vector<Arm>& arms, const std::vector<core::Phase>& phases,
                                             const ComparisonPlan& plan) {
  std::vector<core::Comparison> comparisons;
  const Arm& base = arms[kBase];
  if (base.ended || arms[kBaseAgain].ended || base.rounds.empty()) return comparisons;
  const std::vector<core::CpuResult> before = cpu_rounds(base), again = cpu_rounds(arms[kBaseAgain]);
  for (std::size_t i = kBaseAgain + 1; i < arms.size(); ++i) {
    if (arms[i].ended) continue;
    comparisons.push_back(
        core::compare_rounds(base.label, before, arms[i].label, cpu_rounds(arms[i]), again, plan.seed));
    comparisons.back().name = plan.name;
    comparisons.back().verdict += loss_in_words(phases[i]);
  }
  return comparisons;
}

}  // namespace

std::vector<std::string> arm_labels(const std::vector<std::string>& arms) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const auto earlier = std::count(arms.begin(), arms.begin() + static_cast<std::ptrdiff_t>(i), arms[i]);
    labels.push_back(earlier == 0 ? arms[i] : fmt::format("{} ({})", arms[i], earlier + 1));
    if (i == 0) labels.push_back(arms[i] + " (again)");
  }
  return labels;
}

ComparedArms compare_arms(const ComparisonPlan& plan, const RunArm& run_arm, const OnRun& on_run) {
  std::vector<Arm> arms = arms_of(plan);
  ComparedArms compared;
  Rounds rounds(arms, plan, run_arm, on_run);
  const auto orders = round_orders(arms.size(), plan.rounds, plan.seed);
  for (unsigned round = 1; round <= plan.rounds; ++round) {
    const RoundEnd end = rounds.run(round, orders[round - 1]);
    compared.interrupted = end == RoundEnd::stopped;
    if (end != RoundEnd::complete) break;
    ++compared.complete_rounds;
  }
  for (const Arm& arm : arms) compared.phases.push_back(phase_of(arm, plan, compared));
  compared.comparisons = comparisons_of(arms, compared.phases, plan);
  return compared;
}

}  // namespace maxlat::npt
