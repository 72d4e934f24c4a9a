// SPDX-License-Identifier: MIT
//
// What a run leaves behind: the result model, one to one with result.json (schema "maxlat-result/1", docs/result.md).
//
// Every tool that measures produces Phases; `maxlat run` collects them into a RunResult; reports, gates and comparisons
// read nothing else. `maxlat npt --json F` writes a RunResult with one phase, so that there is one reader and one
// writer.
//
// UNITS are in the names. All latencies are nanoseconds as double: ticks were converted at the border of the tool that
// measured (a double holds a 0.1 ns step to beyond 10^5 s).
//
// INVARIANTS, checked by validate() after every read and before every write
//   (1) per CPU: sum of bin counts + overflow_count = samples. Bins ascend and do not overlap.
//   (2) a phase with status ok has at least one CPU with samples > 0, unless its kind measures nothing (preflight,
//       control, load, report). An empty phase is never ok.
//   (3) every number is finite. "Not measured" is an absent optional (JSON: the key is missing), never 0.
//   (4) names of phases are unique in a run, CPUs in a phase; a complete run has a phase.
//   (5) the rounds of a phase add up to it: the sum of their samples is that of its CPUs.
//   (6) a comparison is between arms of phases that say they belong to it and are of the same gaps, and has its
//       measures.
//   (7) the gaps of a phase's paths are among its samples: together not more of them, each path with some, no path
//       twice.
//   (8) figures do not contradict one another: durations, exposures and latencies are not negative; minimum, mean and
//       maximum are in this order and agree with the bins, so do the quantiles, which ascend; no quantile and no
//       outlier exceeds the maximum; the exposure of a phase with CPUs is the sum of theirs.
//   (9) the rounds of a pair of policies add up, no pair is twice on a CPU, and one that was refused has none.
//   (10) the parts of an outlier's time add up to its length; none is negative.
//   (11) what the kernel ran on a CPU and what was left undisturbed add up to the time watched; nothing is twice in it,
//       and no occurrence is longer than all of its kind.
//   (12) what a late wake-up is split into adds up to it, and so do the parts of its time; none is negative.
//
// ERRORS: a file that is truncated, is not this schema or breaks an invariant is an Error naming the place; it is never
// an empty result.
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/core/result/accounting.hpp>
#include <maxlat/core/result/activity.hpp>
#include <maxlat/core/result/interference.hpp>
#include <maxlat/core/result/interval.hpp>
#include <maxlat/core/result/kernel_messages.hpp>
#include <maxlat/core/result/preemption.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::base {
class Histogram;
struct CounterClock;
}  // namespace maxlat::base

namespace maxlat::core {

struct Bin {
  double low_ns = 0;   // inclusive
  double high_ns = 0;  // exclusive
  uint64_t count = 0;
};

// An event that was traced around an outlier, from the trace of the arm itself.
struct NearbyEvent {
  double t_ns = 0;   // as the outlier's; before the start of the phase it is negative
  std::string name;  // "npt:loop"
  std::string fields;
  std::string path;  // what the tracer did for it, when that was something rare: a name of Phase::paths
};

struct Outlier {
  double t_ns = 0;  // since the start of the phase
  double latency_ns = 0;
  unsigned cpu = 0;
  std::string cause;                        // "" when unknown
  std::string path{};                       // what the tracer did in it, a name of Phase::paths; "" when unknown
  std::vector<NearbyEvent> events{};        // a few before its end and after it, in the order of time
  std::vector<AccountedTime> accounting{};  // who had its time, largest first, in sum latency_ns; empty: not known
};

// The largest latency of each step of the phase, in order.
struct Timeline {
  double step_s = 1;
  // max: of the step. running_max: of everything so far (all that cyclictest tells while it runs).
  enum class Kind { max, running_max } kind = Kind::max;
  std::vector<double> max_ns;  // one a step; 0 where a step had no sample
};

struct CpuResult {
  unsigned cpu = 0;  // the CPU number, never an index
  uint64_t samples = 0;
  double exposure_s = 0;  // CPU-seconds really watched
  double min_ns = 0, max_ns = 0, mean_ns = 0, stddev_ns = 0;
  std::vector<std::pair<std::string, double>> quantiles_ns;  // {"p50", 120.0}, ascending; those that are measured
  std::vector<Bin> bins;                                     // non-empty bins only
  uint64_t overflow_count = 0;
  std::vector<Outlier> overflow;  // the first of them, whole
  std::vector<Outlier> outliers;  // the largest samples, largest first
  Timeline timeline;
};

struct LoadResult {
  std::string name;              // "hackbench"
  std::string command;           // what ran, or "built-in"
  std::string unit;              // of progress: "rounds/s", "CPU-s/s", "MiB/s"
  bool alive = false;            // from the first to the last second of the phase
  std::string reason;            // why not alive
  std::vector<double> progress;  // one a second
};

// One planted stall and what the meter made of it.
struct PlantedStall {
  unsigned cpu = 0;
  double planted_ns = 0;  // asked for
  double actual_ns = 0;   // how long the hog really held the CPU, by its own reads of the counter
  double wake_ns = 0;     // from its timer to its first read: in the meter's sample, and no error of the meter
  double found_ns = 0;    // the meter's largest sample over it; 0 when it found none
  bool found = false;     // within the stated error, the wake-up apart
};

struct ControlResult {
  std::string meter;  // which meter had to find them
  double stated_error_ns = 0;
  std::vector<PlantedStall> stalls;
};

// One of three is true of a planted stall, and whatever tells of a control says it in these words: the meter found it
// (within the stated error, the hog's wake-up apart), saw it off size (longer or shorter than that), or missed it.
enum class StallOutcome { found, off_size, missed };
StallOutcome outcome_of(const PlantedStall& stall);
const char* to_string(StallOutcome outcome);

struct StallCounts {
  size_t planted = 0, found = 0, off_size = 0, missed = 0;
  void add(const PlantedStall& stall);
};
StallCounts counts_of(const std::vector<PlantedStall>& stalls);
// "63 of 64 found, 1 missed"; with " planted stalls" as `what`, "63 of 64 planted stalls found, 1 missed".
std::string to_string(const StallCounts& counts, std::string_view what = "");

// Whether the meter may be believed: for each length and CPU more than half of the stalls were found (a single one may
// coincide with a stall of the machine itself) and none was missed. Without stalls: no.
bool passed(const ControlResult& control);

// The books of a traced arm: recorded + lost = produced.
struct EventCounts {
  uint64_t produced = 0, recorded = 0, lost_full = 0, lost_wrap = 0, lost_big = 0;
  uint64_t lost() const { return lost_full + lost_wrap + lost_big; }
};

// The gaps in which the tracer took one of its paths: where an arm's tail comes from.
struct PathResult {
  std::string name;   // "sub-buffer switch"
  bool rare = false;  // other than what nearly every event does
  CpuResult gaps;     // of all CPUs: samples, statistics and bins; `cpu` and exposure mean nothing
};

// One round of an arm: what its process measured, without the bins (those of all rounds are in the phase together).
struct RoundSummary {
  unsigned round = 0;  // from 1; the same number in every arm is the same stretch of time
  unsigned order = 0;  // its place within the round, from 1
  uint64_t samples = 0;
  double exposure_s = 0;
  double min_ns = 0, max_ns = 0, mean_ns = 0, stddev_ns = 0;
  std::vector<std::pair<std::string, double>> quantiles_ns;
  std::optional<EventCounts> events;
};

// One attempt of the search for the highest rate of events that loses none.
struct RateTrial {
  double asked_hz = 0;     // 0: as fast as the loop goes
  double produced_hz = 0;  // what it came to
  uint64_t lost = 0;
  double exposure_s = 0;
  double stolen_s = 0;        // time that the host took from the machine's CPUs meanwhile
  bool confirmation = false;  // the bracket had been found; this one had to bear it out
};

// What a rate was called lossless or lossy for.
struct RateEvidence {
  uint64_t trials = 0;
  uint64_t lossy = 0;  // of these: lost something
  uint64_t lossless() const { return trials - lossy; }
};

// The highest rate of events at which most trials lose nothing, as a bracket. Confirmed, at least half of the trials at
// its upper end lost something; not confirmed it is what was known when the search was interrupted, broke or gave up.
struct MaximumRate {
  double trial_s = 0;              // how long each trial was to last
  double lossless_hz = 0;          // the highest rate that was borne; 0: none is known
  std::optional<double> lossy_hz;  // the lowest that was not; absent: nothing was lost as fast as the loop goes
  bool confirmed = false;          // most of the longer trials at lossless_hz lost nothing either
  std::optional<RateEvidence> lossless_evidence;  // the trials of the confirmation; absent: there was none
  std::optional<RateEvidence> lossy_evidence;     // all trials at lossy_hz
  std::vector<RateTrial> trials;
};

enum class PhaseStatus {
  ok,           // measured and valid
  invalid,      // measured, not valid: reason says why
  skipped,      // cannot run here: reason says why
  failed,       // could not be measured: an error
  interrupted,  // ended early; what was measured is kept
};

struct Phase {
  std::string name;  // "npt under load", unique in a run
  std::string kind;  // the name of one of phase_kinds() (phase_kind.hpp)
  std::string arm;   // "none" or the traced arm; "" where it does not apply
  PhaseStatus status = PhaseStatus::failed;
  std::string reason;     // empty when ok
  std::string command;    // the command that makes this phase again
  std::string started;    // ISO 8601, UTC
  double duration_s = 0;  // wall time
  double exposure_s = 0;  // sum over CPUs
  std::map<std::string, std::string>
      facts;  // what a reader must know: "interrupts": "on", "back end": "user-space loop"
  std::vector<std::string> warnings;
  std::vector<CpuResult> per_cpu;
  std::vector<LoadResult> load;
  std::optional<ControlResult> control;
  std::optional<EventCounts> events;
  std::vector<PathResult> paths;     // of an arm whose tracer tells them
  std::string comparison;            // the comparison that this phase is an arm of; empty: of none
  std::string gaps{};                // which of the arm's gaps: "waiting windows"; empty: all of them
  std::vector<RoundSummary> rounds;  // of an arm, in the order of their numbers
  std::optional<MaximumRate> maximum_rate;
  std::vector<CpuActivity> activity;              // what else ran on the measured CPUs meanwhile; empty: not looked at
  std::vector<CpuInterference> interference{};    // what the kernel ran on them, by its events; empty: not recorded
  std::vector<PolicyPair> pairs;                  // of a preemption test
  std::optional<KernelMessages> kernel_messages;  // that came meanwhile; absent: the log was not read
};

// What two arms differ by in one measure.
struct MeasureDifference {
  // comparison.hpp says when it is which. not_measured: none of the figures below is.
  enum class Verdict { different, same, not_shown, undecided, not_measured };
  std::string measure;             // "mean", "p99.99", "max"
  double base_ns = 0, arm_ns = 0;  // of all rounds together
  double difference_ns = 0;        // arm - base, the median of the rounds' differences
  Interval interval_ns{};          // of that median, 95 %
  double p = 1;                    // signed rank, corrected
  std::optional<double> noise_floor_ns{};
  Verdict verdict = Verdict::undecided;
  uint64_t rounds_likely = 0;  // of what is not shown: how many are likely to decide it; 0: that cannot be told
};

// One arm against the base arm of its comparison (comparison.hpp).
struct Comparison {
  std::string name;     // as in Phase::comparison
  std::string gaps{};   // as in Phase::gaps
  bool beside = false;  // not of the gaps that hold the tracepoints, where those are apart: no verdict on the arm
  std::string base, arm;
  uint64_t rounds = 0, rounds_needed = 0;
  std::vector<MeasureDifference> measures;
  Interval difference_of_means_ns;  // of Desnoyers 2009, section 8.4
  std::string verdict;              // in words
};

// One row of the pre-flight table.
struct SettingObservation {
  enum class Verdict { ok, bad, unknown, info } verdict = Verdict::unknown;
  std::string name;
  std::string group;
  std::string observed;  // "unknown" when it cannot be read
  std::string expected;
  std::string why;
  std::string fix;
};

struct FingerprintGroup {
  std::string name;  // "cpu", "kernel", "firmware", ...
  std::string hash;  // over the values, so that two reports can say what differs
  std::vector<std::pair<std::string, std::string>> values;
};

struct RuleResult {
  std::string rule;   // "npt under load: max_ns"
  std::string limit;  // with unit and comparison: "<= 50000 ns"
  std::string observed;
  // warning: over a soft limit, which alone fails nothing. waived: it failed, and somebody has taken that upon
  // themselves until a date.
  enum class Outcome { pass, warning, waived, fail, invalid } outcome = Outcome::invalid;
  std::string note{};  // of a warning or a waiver: why it does not fail
};

struct Verdict {
  enum class Kind { pass, fail, invalid, not_gated } kind = Kind::not_gated;
  std::vector<std::string> reasons;  // in words, most important first
  std::vector<std::string>
      not_comparable;  // why this run says nothing about bare metal with PREEMPT_RT; empty: it does
  std::vector<RuleResult> rules;
};

struct RunResult {
  std::string id;
  std::string tool;                                // "maxlat 0.1.0"
  std::string build;                               // "83c1f0a29b41d6e7": which build of it (version.hpp)
  std::string label;                               // the user's, one line: "box 17, new BIOS"
  std::map<std::string, std::string> annotations;  // the user's: {"bios", "2.4"}
  std::string started, ended;
  std::string plan;       // name of the profile or file
  std::string plan_text;  // the plan itself, TOML, so that --resume and readers need no other file
  std::string gate_text;  // the gate that judged it beside the plan's limits, TOML; empty: there was none
  uint64_t seed = 0;
  enum class State { running, complete, interrupted } state = State::running;
  std::vector<FingerprintGroup> machine;
  std::vector<SettingObservation> preflight;
  std::vector<Phase> phases;
  std::vector<Comparison> comparisons;
  Verdict verdict;
};

// --- making ---

// The labels and levels of every quantile table: p50, p90, p99, p99.9, p99.99, p99.999, p99.9999.
struct QuantileLevel {
  const char* label;
  double level;
};
extern const std::vector<QuantileLevel> kQuantileLevels;

// Fills samples, min..stddev, quantiles, bins and overflow from a histogram of ticks. `start_ticks` is the counter at
// the start of the phase: the times of overflows count from it.
CpuResult cpu_result_from(unsigned cpu, const base::Histogram& histogram, const base::CounterClock& clock,
                          uint64_t start_ticks = 0);
// The same from bins (and overflow_count) of a foreign meter: exact moments are not known there, so mean and deviation
// are those of the bins' middles. min_ns and max_ns stay when the meter told them (max_ns > 0), else they are the
// edges.
void fill_statistics_from_bins(CpuResult& cpu);
// The quantile that the meter told where it told it (quantiles_ns), so that every reader shows the meter's own figure;
// else the upper edge of the bin, never beyond max_ns. Where it is not measured (below) it is the
// maximum: for a limit that must hold, since it is never below the quantile of these samples. That so few samples say
// little of what a longer run would show is not in it. REQUIRES: samples > 0.
double quantile_of(const CpuResult& cpu, double level);
// Whether so many samples measure the quantile: at least one lies beyond it, samples * (1 - level) >= 1. With fewer it
// would be the maximum under another name.
bool is_measured(double level, uint64_t samples);
// For tables: nothing where it is not measured.
std::optional<double> measured_quantile(const CpuResult& cpu, double level);
// The quantiles of the table that are measured: for CpuResult::quantiles_ns.
std::vector<std::pair<std::string, double>> measured_quantiles(const CpuResult& cpu);

// The figures are no more than an upper bound: other things than what the phase is about are in them (fact "bound").
bool is_upper_bound(const Phase& phase);
// Its name, with that label where it belongs: wherever the name stands beside a figure.
std::string shown_name(const Phase& phase);

const char* to_string(PhaseStatus status);
const char* to_string(Verdict::Kind kind);
const char* to_string(SettingObservation::Verdict verdict);
const char* to_string(RuleResult::Outcome outcome);
const char* to_string(RunResult::State state);
const char* to_string(MeasureDifference::Verdict verdict);

// --- reading and writing ---

Status validate(const RunResult& run);
std::string to_json(const RunResult& run);
Result<RunResult> from_json(std::string_view text);
Result<RunResult> read_run(const std::string& path);  // reads in memory that does not grow with the JSON of the bins
Status write_run(const std::string& path, const RunResult& run);

}  // namespace maxlat::core
