// SPDX-License-Identifier: MIT
//
// The gate: limits, what was observed, and a verdict. A limit is met when observed <= limit (for floors such as
// exposure: observed >= limit); equal passes. A latency is the worst CPU's, never an average of CPUs. What was not
// measured is never passed: a rule whose phase is missing, not ok, or has no such figure is "invalid", and one invalid
// rule makes the verdict invalid unless another rule failed. So does a meter that did not find the stalls of its
// positive control, because it cannot be believed, and so does a run that is not complete, because its remaining phases
// were not measured. So does a phase that is not valid and that no rule is about: nobody said that it does not matter,
// unless the gate names it in may_be_invalid. Of a tracer's arm that is a warning, for it says nothing of the box.
//
// A preemption test brings its own limits: a pair of policies that does not do as it must fails a run without rules,
// too. So does a measurement that was to end at its first sample above a limit (npt -b), and did.
//
// Order of verdicts, strongest first: fail (a valid phase exceeded a limit), invalid, pass, not gated (there are no
// rules, the run is complete, something was measured and no phase was invalid). A phase that is skipped because it
// cannot run here makes only the rules about it invalid. A warning (a soft limit) and a failure that is waived pass,
// and are said.
#pragma once

#include <array>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/reports/rule.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace maxlat::reports {

// A failure that somebody has taken upon themselves, for a time. What was not measured cannot be waived.
struct Waiver {
  std::string phase;   // as Rule::phase
  std::string metric;  // as Rule::metric
  std::string reason;
  std::string until;  // "2026-12-31": the last day on which it counts, UTC
  // In the metric's unit: what is above has not been signed. Nothing: whatever it is.
  std::optional<double> up_to = {};
};

// Groups of the fingerprint that say what a figure is one of: a baseline has the same, unless the gate says otherwise.
inline constexpr std::array<std::string_view, 5> kMustBeTheSame = {"cpu", "firmware", "clock", "mitigations",
                                                                   "settings"};

// What a run must not be worse than: one earlier run, or a series of three and more.
struct Baseline {
  struct Run {
    std::string path;
    core::RunResult run;
  };
  std::vector<Run> runs;
  std::vector<std::string> phases{"*"};                  // each as Rule::phase
  std::vector<std::pair<std::string, double>> ratios{};  // metric, and how many times the baseline's figure is too much
  std::vector<std::string> may_differ{};                 // groups of the fingerprint
};

// What a gate file says (docs/gate.md).
struct Gate {
  std::string name;
  std::vector<Rule> rules;
  std::vector<Waiver> waivers{};
  std::optional<Baseline> baseline{};
  std::vector<std::string> may_be_invalid{};  // phases, by name or kind, without which the verdict stands
};

// The file alone: its baseline has no runs yet.
struct GateText {
  Gate gate;
  std::vector<std::string> baseline_paths{};
  std::string folder{};  // where relative ones begin; empty: where the file is
};
// ERRORS: one line with file and line.
core::Result<GateText> parse_gate(std::string_view text, const std::string& file_name);
// The file, and the runs of its baseline. ERRORS: as above, and what cannot be read.
core::Result<Gate> read_gate(const std::string& path);
// Its text for RunResult::gate_text: it says the same from another folder.
core::Result<std::string> gate_to_keep(const std::string& path);
// What the run was judged by: the limits of its plan and its gate, both of which it keeps; or those of its plan and
// another gate. `file` is the result's, for errors. ERRORS: as read_gate().
core::Result<Gate> gate_of_run(const core::RunResult& run, const std::string& file, std::optional<Gate> other = {});

// Judges the phases. `today` ("2026-11-25", UTC) is for the waivers. From run.verdict come `not_comparable`, which only
// who saw the machine can say, and a failure that neither the run's figures nor what it keeps can tell again.
core::Verdict judge(const core::RunResult& run, const Gate& gate, const std::string& today);
// By limits alone.
core::Verdict judge(const core::RunResult& run, const std::vector<Rule>& rules);
std::string today_utc();
// What spoils the run as a whole, whatever its rules say: it is not complete, a meter did not find its control; and
// without rules every phase that is not valid, because nobody said which matter.
std::vector<std::string> spoiled_by(const core::RunResult& run, bool has_rules);
core::Exit exit_status(const core::Verdict& verdict);

}  // namespace maxlat::reports
