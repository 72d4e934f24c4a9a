// SPDX-License-Identifier: MIT
//
// One rule against the phases of a run: the rows of the verdict's table that come of it, and what a phase says of a
// metric, for those who compare it with something other than a limit.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/reports/metric_definition.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::reports {

// A row, and what it is about, for waivers.
struct JudgedRule {
  core::RuleResult result;
  std::string phase, kind;  // empty: of the whole run, or of no phase that is there
  std::string metric;
  std::optional<double> value{};  // what was observed, in the metric's unit; nothing where a number tells nothing
};

// How the observation of a figure begins that is within its limit, and does not show that the limit is kept.
inline constexpr std::string_view kNotShown = "not shown";

// One for each phase that the rule is about; an invalid one when there is none. REQUIRES: a rule that make_rule() made.
std::vector<JudgedRule> judge_rule(const core::RunResult& run, const Rule& rule);

bool has_phase(const core::RunResult& run, const std::string& name);  // or a phase of this kind
// "no such phase in the run; it has ...": each kind and name once, in the run's order.
std::string no_such_phase(const core::RunResult& run);

// What the phase, or the worst of its CPUs, says.
struct Seen {
  Observation observation{};
  const core::CpuResult* cpu = nullptr;  // the worst; null: it is of the phase
};
// A phase that is not valid has not measured anything. REQUIRES: no metric of a run.
Seen seen_in(const core::RunResult& run, const core::Phase& phase, const MetricDefinition& metric, const Rule& rule);
// "22000 ns (22.0 us, CPU 0, an upper bound; a note)"
std::string seen_text(const MetricDefinition& metric, const core::Phase& phase, const Seen& seen);

// The phases a rule is about. A name wins over a kind.
std::vector<const core::Phase*> phases_of(const core::RunResult& run, const MetricDefinition& metric,
                                          const std::string& phase);

}  // namespace maxlat::reports
