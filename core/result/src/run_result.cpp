// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/run_result.hpp>

#include "run_names.hpp"

namespace maxlat::core {
namespace {

// The rank-th smallest sample is the quantile. level * samples may land a few ulps above the whole number it stands for
// (0.07 * 100 = 7.000000000000001): that must not become the next rank.
double rank_of(double level, uint64_t samples) {
  const double exact = level * static_cast<double>(samples);
  return std::max(1.0, std::ceil(exact * (1 - 4 * std::numeric_limits<double>::epsilon())));
}

double quantile_of_bins(const CpuResult& cpu, double level) {
  const double rank = rank_of(level, cpu.samples);
  uint64_t below = 0;
  for (const Bin& bin : cpu.bins) {
    below += bin.count;
    if (static_cast<double>(below) >= rank) return std::min(bin.high_ns, cpu.max_ns);
  }
  return cpu.max_ns;  // among the overflow: all that is known of it is its largest
}

// A foreign meter may tell minimum, mean and maximum of all samples and nothing of any: every quantile would be the
// maximum.
bool has_values(const CpuResult& cpu) {
  return !cpu.bins.empty() || !cpu.quantiles_ns.empty();
}

double middle_of(const Bin& bin) {
  return bin.low_ns + (bin.high_ns - bin.low_ns) / 2;
}

}  // namespace

const std::vector<QuantileLevel> kQuantileLevels = {
    {"p50", 0.5},       {"p90", 0.9},         {"p99", 0.99},          {"p99.9", 0.999},
    {"p99.99", 0.9999}, {"p99.999", 0.99999}, {"p99.9999", 0.999999},
};

StallOutcome outcome_of(const PlantedStall& stall) {
  if (stall.found) return StallOutcome::found;
  return stall.found_ns > 0 ? StallOutcome::off_size : StallOutcome::missed;
}

const char* to_string(StallOutcome outcome) {
  switch (outcome) {
    case StallOutcome::found:
      return "found";
    case StallOutcome::off_size:
      return "off size";
    case StallOutcome::missed:
      break;
  }
  return "missed";
}

void StallCounts::add(const PlantedStall& stall) {
  const StallOutcome outcome = outcome_of(stall);
  ++planted;
  ++(outcome == StallOutcome::found ? found : outcome == StallOutcome::off_size ? off_size : missed);
}

StallCounts counts_of(const std::vector<PlantedStall>& stalls) {
  StallCounts counts;
  for (const PlantedStall& stall : stalls) counts.add(stall);
  return counts;
}

std::string to_string(const StallCounts& counts, std::string_view what) {
  std::string text = std::to_string(counts.found) + " of " + std::to_string(counts.planted);
  text.append(what).append(" found");
  if (counts.off_size > 0) text += ", " + std::to_string(counts.off_size) + " off size";
  if (counts.missed > 0) text += ", " + std::to_string(counts.missed) + " missed";
  return text;
}

bool passed(const ControlResult& control) {
  std::map<std::pair<unsigned, double>, StallCounts> tallies;
  for (const PlantedStall& stall : control.stalls) tallies[{stall.cpu, stall.planted_ns}].add(stall);
  return !tallies.empty() && std::all_of(tallies.begin(), tallies.end(), [](const auto& row) {
    return row.second.missed == 0 && 2 * row.second.found > row.second.planted;
  });
}

bool is_upper_bound(const Phase& phase) {
  return phase.facts.count(fact::kBound) != 0;
}

std::string shown_name(const Phase& phase) {
  return phase.name + (is_upper_bound(phase) ? " (upper bound)" : "");
}

const char* to_string(PhaseStatus status) {
  return name_of(status);
}
const char* to_string(Verdict::Kind kind) {
  return name_of(kind);
}
const char* to_string(SettingObservation::Verdict verdict) {
  return name_of(verdict);
}
const char* to_string(RuleResult::Outcome outcome) {
  return name_of(outcome);
}
const char* to_string(RunResult::State state) {
  return name_of(state);
}
const char* to_string(MeasureDifference::Verdict verdict) {
  return name_of(verdict);
}
const char* to_string(Interruption::Kind kind) {
  return name_of(kind);
}

const char* shown_word(Interruption::Kind kind) {
  using Kind = Interruption::Kind;
  switch (kind) {
    case Kind::device:
      return "interrupt";
    case Kind::timer:
      return "timer";
    case Kind::sent:
      return "sent by a CPU";
    case Kind::other:
      return "other interrupt";
    case Kind::softirq:
      return "softirq";
    case Kind::task:
      return "task";
    case Kind::work:
      return "work item";
    case Kind::function:
      return "timer function";
    case Kind::fault:
      return "fault";
  }
  return "";
}

uint64_t CpuActivity::count(Interruption::Kind kind) const {
  uint64_t sum = 0;
  for (const Interruption& line : counted) sum += line.kind == kind ? line.count : 0;
  return sum;
}

uint64_t CpuActivity::interruptions() const {
  using Kind = Interruption::Kind;
  return count(Kind::device) + count(Kind::timer) + count(Kind::sent) + count(Kind::other) + switches.value_or(0);
}

double quantile_of(const CpuResult& cpu, double level) {
  for (const QuantileLevel& known : kQuantileLevels) {
    if (known.level != level) continue;
    for (const auto& [label, ns] : cpu.quantiles_ns)
      if (label == known.label) return ns;
  }
  return quantile_of_bins(cpu, level);
}

bool is_measured(double level, uint64_t samples) {
  // 1 - 0.9999 is a little below 0.0001 in floating point, and ten thousand samples do have one beyond.
  return static_cast<double>(samples) * (1 - level) >= 1 - 1e-6;
}

std::optional<double> measured_quantile(const CpuResult& cpu, double level) {
  if (!is_measured(level, cpu.samples) || !has_values(cpu)) return {};
  return quantile_of(cpu, level);
}

std::vector<std::pair<std::string, double>> measured_quantiles(const CpuResult& cpu) {
  std::vector<std::pair<std::string, double>> quantiles;
  if (!has_values(cpu)) return quantiles;
  for (const QuantileLevel& quantile : kQuantileLevels)
    if (is_measured(quantile.level, cpu.samples))
      quantiles.emplace_back(quantile.label, quantile_of_bins(cpu, quantile.level));
  return quantiles;
}

void fill_statistics_from_bins(CpuResult& cpu) {
  cpu.samples = cpu.overflow_count;
  double in_bins = 0, sum = 0;
  for (const Bin& bin : cpu.bins) {
    cpu.samples += bin.count;
    in_bins += static_cast<double>(bin.count);
    sum += static_cast<double>(bin.count) * middle_of(bin);
  }
  cpu.quantiles_ns.clear();
  if (cpu.samples == 0) return;
  if (cpu.max_ns == 0 && !cpu.bins.empty()) {
    cpu.min_ns = cpu.bins.front().low_ns;
    cpu.max_ns = cpu.bins.back().high_ns;
  }
  if (in_bins > 0) {
    cpu.mean_ns = sum / in_bins;
    double squares = 0;  // around the mean: no cancellation
    for (const Bin& bin : cpu.bins) {
      const double distance = middle_of(bin) - cpu.mean_ns;
      squares += static_cast<double>(bin.count) * distance * distance;
    }
    cpu.stddev_ns = std::sqrt(squares / in_bins);
  }
  cpu.quantiles_ns = measured_quantiles(cpu);
}

}  // namespace maxlat::core
