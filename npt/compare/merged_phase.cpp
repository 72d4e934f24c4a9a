// SPDX-License-Identifier: MIT
#include "merged_phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/merge.hpp>
#include <optional>
#include <set>

namespace maxlat::npt {
namespace {

core::RoundSummary summary_of(const RoundOfArm& of) {
  const core::CpuResult& cpu = of.phase.per_cpu.front();
  return {.round = of.round,
          .order = of.order,
          .samples = cpu.samples,
          .exposure_s = cpu.exposure_s,
          .min_ns = cpu.min_ns,
          .max_ns = cpu.max_ns,
          .mean_ns = cpu.mean_ns,
          .stddev_ns = cpu.stddev_ns,
          .quantiles_ns = cpu.quantiles_ns,
          .events = of.phase.events};
}

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

// Of one fact in all rounds; nothing when it is neither the same nor a number in each.
std::optional<std::string> fact_of(const std::string& name, std::span<const RoundOfArm> rounds) {
  std::string low, high;
  for (const RoundOfArm& round : rounds) {
    const auto found = round.phase.facts.find(name);
    if (found == round.phase.facts.end()) return {};
    const std::string& value = found->second;
    if (low.empty()) low = high = value;
    if (value == low || value == high) continue;
    const auto number = number_in(value), lowest = number_in(low), highest = number_in(high);
    if (!number || !lowest || !highest) return {};
    if (*number < *lowest) low = value;
    if (*number > *highest) high = value;
  }
  return low == high ? low : low + " to " + high;
}

core::CpuResult all_samples(std::span<const RoundOfArm> rounds) {
  std::vector<core::CpuResult> cpus;
  for (const RoundOfArm& round : rounds) {
    cpus.push_back(round.phase.per_cpu.front());
    cpus.back().timeline.max_ns.clear();  // rounds lie one after the other: their seconds are not the same
    for (auto* list : {&cpus.back().outliers, &cpus.back().overflow})
      for (core::Outlier& outlier : *list)
        outlier.cause = fmt::format("round {}{}{}", round.round, outlier.cause.empty() ? "" : ": ", outlier.cause);
  }
  return core::merged(cpus);
}

}  // namespace

void add(core::EventCounts& all, const core::EventCounts& one) {
  all.produced += one.produced;
  all.recorded += one.recorded;
  all.lost_full += one.lost_full;
  all.lost_wrap += one.lost_wrap;
  all.lost_big += one.lost_big;
}

core::Phase merged_phase(std::span<const RoundOfArm> rounds) {
  const core::Phase& first = rounds.front().phase;
  std::vector<std::vector<core::PathResult>> paths;
  std::vector<std::vector<core::CpuActivity>> activity;
  core::Phase phase;
  phase.status = core::PhaseStatus::ok;
  phase.started = first.started;
  phase.per_cpu = {all_samples(rounds)};
  std::set<std::string> warned;
  for (const RoundOfArm& round : rounds) {
    phase.rounds.push_back(summary_of(round));
    paths.push_back(round.phase.paths);
    activity.push_back(round.phase.activity);
    phase.duration_s += round.phase.duration_s;
    phase.exposure_s += round.phase.exposure_s;
    if (round.phase.events) add(phase.events ? *phase.events : phase.events.emplace(), *round.phase.events);
    for (const std::string& warning : round.phase.warnings)
      if (warned.insert(warning).second) phase.warnings.push_back(fmt::format("round {}: {}", round.round, warning));
  }
  phase.paths = core::merged_paths(paths);
  phase.activity = core::merged_activity(activity);
  for (const auto& [name, value] : first.facts) {
    // When a round began is a number, too, but its range says nothing.
    if (name == core::fact::kStartMonotonic_ns || name == core::fact::kStartRealtime_ns) continue;
    if (const auto fact = fact_of(name, rounds)) phase.facts[name] = *fact;
  }
  phase.facts["rounds"] = fmt::format("{}", rounds.size());
  return phase;
}

}  // namespace maxlat::npt
