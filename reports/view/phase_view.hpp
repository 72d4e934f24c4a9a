// SPDX-License-Identifier: MIT
//
// A phase as a reader asks about it: its CPUs taken together, and what may be said from the figures. Everything that
// reports and gates derive from a phase is derived here, once, so that page, terminal and gate cannot disagree.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::reports {

// Whether the phase says something about the box. A tracer's arm measures too, but what it says is about the tracer:
// its loop is slowed on purpose, and where the tracer is not installed the box is none the worse.
bool is_of_the_box(const core::Phase& phase);

// Why nothing may be concluded from the phase's figures, in words; nothing when they are valid. Looks at the status and
// does not stop there: no sample, a requested CPU without samples, a dead load and a control that was not found make a
// phase unfit also when whoever wrote it called it ok.
std::optional<std::string> unfit_because(const core::Phase& phase);

// Positive controls that were not found: a meter that did not find what was planted measured nothing.
std::vector<std::string> failed_controls(const core::RunResult& run);
// The phases that a stopped run did not come to are nowhere in it, so nothing misses them. Nothing: it is complete.
std::optional<std::string> incomplete_because(const core::RunResult& run);

// A meter that tells nothing below its threshold, and found nothing: its maximum is that threshold, and was not
// measured.
bool found_nothing(const core::CpuResult& cpu);

// Why a count of the samples from here on is not whole: the meter tells only longer ones, or did not keep them all.
// From 0 on: a quantile, or a mean, of all. Nothing: it is whole.
std::optional<std::string> not_told(const core::Phase& phase, double from_ns);
// What reports show and exports write of one CPU, or of all as one. Nothing: not measured, or not of all samples.
std::optional<double> shown_quantile(const core::Phase& phase, const core::CpuResult& cpu, double level);
// Whether mean and deviation are of all samples, and there is one.
bool shows_mean(const core::Phase& phase, const core::CpuResult& cpu);

// Why the phase says nothing of the box but its largest sample: it was to end at the first one above a limit (npt -b),
// so what it watched hangs on what it saw. Also when no sample was above: else a night would count when it was good,
// and not when it was bad. Nothing: it had no such limit.
std::optional<std::string> ends_at_a_limit(const core::Phase& phase);

// All CPUs as one (maxlat/core/result/merge.hpp). The field `cpu` means nothing here.
core::CpuResult merge_cpus(const core::Phase& phase);

// A large sample as tables list it. Without a time: the meter tells its maximum and not when it was (cyclictest).
struct LargeSample {
  double latency_ns = 0;
  unsigned cpu = 0;
  const core::Outlier* outlier = nullptr;  // null: time unknown
};
// Largest first. INVARIANT: the first is the maximum of the phase.
std::vector<LargeSample> largest_samples(const core::Phase& phase);

// How well a value is known: the width of the bin that it lies in; 0 where there is none.
double resolution_at(const core::CpuResult& cpu, double ns);

// The CPU with the largest maximum; null when no CPU has a sample.
const core::CpuResult* worst_cpu(const core::Phase& phase);

// The phase, with the merge made once.
struct PhaseView {
  explicit PhaseView(const core::Phase& of) : phase(of), all(merge_cpus(of)) {}
  const core::Phase& phase;
  core::CpuResult all;
};

// Signs that something outside the thing measured made the tail. In two runs that were looked at the clean one had
// max/p99 = 8.7, and per-CPU maxima that differed by 77 %; the spoiled one 428, and 3.6 %. Two runs are no calibration,
// so this is a hint to the reader and never part of a verdict.
//
// The ratio means something where p99 is a latency. The p99 of a loop that measures gaps (npt, hwlat, tracer) is the
// loop's own pace, some ten nanoseconds on any box, so there the ratio is left out. What remains for every meter whose
// largest samples have times is coincidence (those of all CPUs overlap; stopped_together.hpp), and a period.
struct TailHint {
  std::optional<double> max_to_p99;
  std::optional<double> spread_of_maxima;  // (largest - smallest) / largest; nothing with one CPU
  bool stretched = false;                  // max_to_p99 above kStretchedTail
  bool all_cpus_at_once = false;           // stretched and spread below kGlobalStall, or coincidence
  std::optional<double> period_s;          // the largest come again and again after so long (core/stats/period.hpp)
  explicit operator bool() const { return stretched || all_cpus_at_once || period_s; }
};
inline constexpr double kStretchedTail = 100;
inline constexpr double kGlobalStall = 0.10;
TailHint tail_hint(const PhaseView& view);

// Rule of three (Hanley 1983): n samples, none above their largest. With 95 % confidence the share of samples above it
// is below 3/n. Usually stated for a threshold fixed beforehand; for the sample maximum itself it holds too, since
// 1 - F(max) of n independent samples is Beta(1, n): P(share > x) = (1 - x)^n.
inline constexpr double kRuleOfThree = 3;
inline constexpr double kRuleOfThreeConfidence = 0.95;
struct RuleOfThree {
  double share = 0;               // 3 / n
  std::optional<double> every_s;  // exposure / 3: at most one exceedance in this many CPU-seconds
};
std::optional<RuleOfThree> rule_of_three(const core::CpuResult& cpu);

}  // namespace maxlat::reports
