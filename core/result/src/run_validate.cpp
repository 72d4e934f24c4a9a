// SPDX-License-Identifier: MIT
//
// The invariants of run_result.hpp. What is not valid is neither written nor believed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <maxlat/core/result/phase_kind.hpp>
#include <numeric>
#include <set>

namespace maxlat::core {
namespace {

bool all_finite(std::initializer_list<double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

bool all_finite(const std::vector<Outlier>& outliers) {
  return std::all_of(outliers.begin(), outliers.end(), [](const Outlier& outlier) {
    return all_finite({outlier.t_ns, outlier.latency_ns}) &&
           std::all_of(outlier.events.begin(), outlier.events.end(),
                       [](const NearbyEvent& event) { return std::isfinite(event.t_ns); }) &&
           std::all_of(outlier.accounting.begin(), outlier.accounting.end(),
                       [](const AccountedTime& part) { return std::isfinite(part.ns); });
  });
}

// Results are written with three decimals, and an edge is known to a thousandth: rounds whose clocks were calibrated
// apart share bins.
constexpr double kRounding_ns = 0.002;
constexpr double kEdge = 1e-3;

bool at_least(double value_ns, double floor_ns) {
  return value_ns >= floor_ns * (1 - kEdge) - kRounding_ns;
}

double least_of(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

// Of a CPU, a path or a round. Empty: valid. Invariants (3) and (8).
template <typename Figures>
std::string check_figures(const Figures& figures) {
  const std::initializer_list<double> all = {figures.exposure_s, figures.min_ns, figures.max_ns, figures.mean_ns,
                                             figures.stddev_ns};
  if (!all_finite(all)) return "a number is not finite";
  if (std::min(all) < 0) return "a number is negative";
  double before_ns = 0;
  for (const auto& [label, ns] : figures.quantiles_ns) {
    if (!std::isfinite(ns)) return "a number is not finite";
    if (ns + kRounding_ns < before_ns) return fmt::format("{} is below the quantile before it", label);
    if (ns > figures.max_ns + kRounding_ns) return fmt::format("{} is above the maximum {} ns", label, figures.max_ns);
    before_ns = ns;
  }
  return "";
}

// A mean of the middles of bins may lie beyond the meter's own minimum and maximum, but not beyond the bins.
std::string check_order(uint64_t samples, double min_ns, double mean_ns, double max_ns, double lowest_ns,
                        double highest_ns) {
  if (samples == 0) return "";
  if (min_ns > max_ns) return fmt::format("the minimum {} ns is above the maximum {} ns", min_ns, max_ns);
  if (at_least(mean_ns, std::min(min_ns, lowest_ns)) && at_least(std::max(max_ns, highest_ns), mean_ns)) return "";
  return fmt::format("the mean {} ns is not between the minimum {} ns and the maximum {} ns", mean_ns, min_ns, max_ns);
}

std::string check_numbers(const CpuResult& cpu) {
  if (std::string wrong = check_figures(cpu); !wrong.empty()) return wrong;
  if (!std::isfinite(cpu.timeline.step_s) || !all_finite(cpu.overflow) || !all_finite(cpu.outliers) ||
      !all_finite(cpu.timeline.max_ns))
    return "a number is not finite";
  return cpu.timeline.step_s < 0 || least_of(cpu.timeline.max_ns) < 0 ? "a number is negative" : "";
}

// Invariant (1).
std::string check_bins(const CpuResult& cpu) {
  uint64_t counted = cpu.overflow_count;
  double edge = -INFINITY;
  for (const Bin& bin : cpu.bins) {
    if (!all_finite({bin.low_ns, bin.high_ns})) return "an edge of a bin is not finite";
    if (bin.low_ns < 0) return "an edge of a bin is negative";
    if (bin.low_ns >= bin.high_ns) return fmt::format("the bin from {} to {} ns is empty", bin.low_ns, bin.high_ns);
    if (bin.low_ns < edge) return fmt::format("the bin from {} ns begins before the last one ends", bin.low_ns);
    if (bin.count == 0) return fmt::format("the bin from {} ns has no sample", bin.low_ns);
    if (__builtin_add_overflow(counted, bin.count, &counted)) return "the counts of the bins exceed 64 bits";
    edge = bin.high_ns;
  }
  if (counted != cpu.samples) return fmt::format("the bins hold {} samples of {}", counted, cpu.samples);
  if (cpu.overflow.size() > cpu.overflow_count) {
    return fmt::format("it lists {} overflows of {}", cpu.overflow.size(), cpu.overflow_count);
  }
  return "";
}

// A quantile has its rank of samples at or below it, and fewer below it. REQUIRES: check_bins().
bool is_told_by_bins(const CpuResult& cpu, double level, double ns) {
  double below = 0, not_above = 0;
  for (const Bin& bin : cpu.bins) {
    if (!at_least(bin.high_ns, ns)) below += static_cast<double>(bin.count);
    if (at_least(ns, bin.low_ns)) not_above += static_cast<double>(bin.count);
  }
  if (cpu.bins.empty() || at_least(ns, cpu.bins.back().high_ns)) not_above += static_cast<double>(cpu.overflow_count);
  const double rank = level * static_cast<double>(cpu.samples);
  return below <= rank && not_above >= std::floor(rank);
}

// Invariant (8). REQUIRES: check_bins().
std::string check_figures_by_bins(const CpuResult& cpu) {
  const double lowest_ns = cpu.bins.empty() ? cpu.min_ns : cpu.bins.front().low_ns;
  const double highest_ns = cpu.bins.empty() ? cpu.max_ns : cpu.bins.back().high_ns;
  if (std::string wrong = check_order(cpu.samples, cpu.min_ns, cpu.mean_ns, cpu.max_ns, lowest_ns, highest_ns);
      !wrong.empty())
    return wrong;
  if (cpu.bins.empty()) return "";
  // A meter that keeps only the larger samples does not know its smallest: what it tells may lie below the first bin.
  if (!at_least(cpu.bins.front().high_ns, cpu.min_ns))
    return fmt::format("the minimum {} ns is above the first bin", cpu.min_ns);
  if (!at_least(cpu.max_ns, cpu.bins.back().low_ns) || (cpu.overflow_count == 0 && !at_least(highest_ns, cpu.max_ns)))
    return fmt::format("the maximum {} ns is not in the last bin", cpu.max_ns);
  for (const auto& [label, ns] : cpu.quantiles_ns)
    for (const QuantileLevel& known : kQuantileLevels)
      if (label == known.label && !is_told_by_bins(cpu, known.level, ns))
        return fmt::format("{} is not what the bins tell", label);
  return "";
}

// Invariants (10) and (12).
std::string check_parts(const char* of_what, double whole_ns, const std::vector<double>& parts_ns) {
  if (least_of(parts_ns) < 0) return fmt::format("a part of {}'s time is negative", of_what);
  const double sum_ns = std::accumulate(parts_ns.begin(), parts_ns.end(), 0.0);
  const double rounding_ns = kRounding_ns * static_cast<double>(parts_ns.size() + 1);
  if (std::abs(sum_ns - whole_ns) <= rounding_ns + whole_ns * 1e-9) return "";
  return fmt::format("the parts of {} of {} ns add up to {} ns", of_what, whole_ns, sum_ns);
}

std::string check_accounting(const char* of_what, double whole_ns, const std::vector<AccountedTime>& accounting) {
  std::vector<double> parts_ns;
  for (const AccountedTime& part : accounting) {
    if (part.count == 0) return fmt::format("a part of {}'s time is none", of_what);
    parts_ns.push_back(part.ns);
  }
  return check_parts(of_what, whole_ns, parts_ns);
}

std::string check_wakeup(const LateWakeup& wakeup) {
  constexpr const char* kWakeup = "a late wake-up";
  std::vector<double> split_ns = {wakeup.late_interrupt_ns.value_or(0), wakeup.handler_ns, wakeup.waking_ns,
                                  wakeup.others_ns};
  if (!all_finite({wakeup.t_ns, wakeup.latency_ns}) || !all_finite(split_ns)) return "a number is not finite";
  if (std::string wrong = check_parts(kWakeup, wakeup.latency_ns, split_ns); !wrong.empty()) return wrong;
  return check_accounting(kWakeup, wakeup.latency_ns, wakeup.accounting);
}

// Invariant (8).
std::string check_outliers(const CpuResult& cpu) {
  for (const Outlier& outlier : cpu.outliers) {
    if (!outlier.accounting.empty())
      if (std::string wrong = check_accounting("an outlier", outlier.latency_ns, outlier.accounting); !wrong.empty())
        return wrong;
    if (!at_least(cpu.max_ns, outlier.latency_ns))
      return fmt::format("an outlier of {} ns is above the maximum {} ns", outlier.latency_ns, cpu.max_ns);
  }
  return "";
}

// Every check of one CPU's figures, or of one path's.
std::string check_result(const CpuResult& result) {
  for (const auto& check : {check_numbers, check_bins, check_figures_by_bins, check_outliers})
    if (std::string wrong = check(result); !wrong.empty()) return wrong;
  return "";
}

std::string check_attachments(const Phase& phase) {
  bool finite = all_finite({phase.duration_s, phase.exposure_s});
  for (const LoadResult& load : phase.load) finite = finite && all_finite(load.progress);
  if (phase.control) {
    finite = finite && std::isfinite(phase.control->stated_error_ns);
    for (const PlantedStall& stall : phase.control->stalls) {
      finite = finite && all_finite({stall.planted_ns, stall.actual_ns, stall.wake_ns, stall.found_ns});
    }
  }
  if (!finite) return "a number is not finite";
  return std::min(phase.duration_s, phase.exposure_s) < 0 ? "a number is negative" : "";
}

// Invariant (8).
std::string check_exposure(const Phase& phase) {
  constexpr double kShare = 1e-6, kRounding_s = 1e-8;
  if (phase.per_cpu.empty()) return "";
  double together_s = 0;
  for (const CpuResult& cpu : phase.per_cpu) together_s += cpu.exposure_s;
  if (std::abs(phase.exposure_s - together_s) <= kShare * together_s + kRounding_s) return "";
  return fmt::format("its exposure is {} s, that of its CPUs together {} s", phase.exposure_s, together_s);
}

bool all_finite(const Interval& interval) {
  return all_finite({interval.low, interval.high});
}

// Invariants (3), (5) and (8).
std::string check_rounds(const Phase& phase) {
  uint64_t in_rounds = 0, in_all = 0;
  for (const RoundSummary& round : phase.rounds) {
    in_rounds += round.samples;
    std::string wrong = check_figures(round);
    if (wrong.empty())
      wrong = check_order(round.samples, round.min_ns, round.mean_ns, round.max_ns, round.min_ns, round.max_ns);
    if (!wrong.empty()) return fmt::format("round {}: {}", round.round, wrong);
  }
  for (const CpuResult& cpu : phase.per_cpu) in_all += cpu.samples;
  if (!phase.rounds.empty() && in_rounds != in_all)
    return fmt::format("its rounds have {} samples of {}", in_rounds, in_all);
  return "";
}

// Invariant (7), and (1), (3) and (8) of each path.
std::string check_paths(const Phase& phase) {
  uint64_t in_paths = 0, in_all = 0;
  std::set<std::string> seen;
  for (const PathResult& path : phase.paths) {
    if (!seen.insert(path.name).second) return fmt::format("the path \"{}\" is there twice", path.name);
    if (path.gaps.samples == 0) return fmt::format("the path \"{}\" has no gap", path.name);
    if (const std::string wrong = check_result(path.gaps); !wrong.empty())
      return fmt::format("the path \"{}\": {}", path.name, wrong);
    if (__builtin_add_overflow(in_paths, path.gaps.samples, &in_paths)) return "the gaps of its paths exceed 64 bits";
  }
  for (const CpuResult& cpu : phase.per_cpu) in_all += cpu.samples;
  if (in_paths > in_all) return fmt::format("its paths have {} gaps of {}", in_paths, in_all);
  return "";
}

std::string check_maximum_rate(const MaximumRate& rate) {
  const bool finite = all_finite({rate.trial_s, rate.lossless_hz, rate.lossy_hz.value_or(0)}) &&
                      std::all_of(rate.trials.begin(), rate.trials.end(), [](const RateTrial& trial) {
                        return all_finite({trial.asked_hz, trial.produced_hz, trial.exposure_s, trial.stolen_s});
                      });
  if (!finite) return "a number of its maximum rate is not finite";
  if (rate.lossy_hz && *rate.lossy_hz < rate.lossless_hz) return "the bracket of its maximum rate is upside down";
  for (const auto& evidence : {rate.lossless_evidence, rate.lossy_evidence})
    if (evidence && evidence->lossy > evidence->trials) return "more trials of its maximum rate lost than there were";
  return "";
}

// Invariants (3) and (6).
std::string check_comparison(const RunResult& run, const Comparison& comparison) {
  for (const std::string& arm : {comparison.base, comparison.arm}) {
    const bool known = std::any_of(run.phases.begin(), run.phases.end(), [&](const Phase& phase) {
      return phase.comparison == comparison.name && phase.gaps == comparison.gaps && phase.arm == arm;
    });
    if (!known) return fmt::format("no phase of it has the arm \"{}\"", arm);
  }
  if (comparison.measures.empty()) return "it has no measure";
  for (const MeasureDifference& measure : comparison.measures) {
    const bool finite = all_finite({measure.base_ns, measure.arm_ns, measure.difference_ns, measure.p,
                                    measure.noise_floor_ns.value_or(0)}) &&
                        all_finite(measure.interval_ns);
    if (!finite) return fmt::format("{}: a number is not finite", measure.measure);
  }
  return all_finite(comparison.difference_of_means_ns) ? "" : "a number is not finite";
}

// Invariant (9).
std::string check_pairs(const Phase& phase) {
  std::set<std::string> seen;
  for (const PolicyPair& pair : phase.pairs) {
    const std::string name = shown_name(pair);
    if (!seen.insert(name).second) return name + " is there twice";
    if (pair.rounds != pair.preempted + pair.waited + pair.untold) return name + ": the rounds do not add up";
    if (pair.latency.has_value() != (pair.preempted > 0))
      return name + ": a latency is there if and only if one preempted";
    if (!pair.refused.empty() && pair.rounds > 0) return name + ": it was refused, and has rounds";
    if (!pair.latency) continue;
    const auto& [min_ns, median_ns, max_ns] = *pair.latency;
    if (!all_finite({min_ns, median_ns, max_ns})) return name + ": a number is not finite";
    if (min_ns < 0 || min_ns > median_ns || median_ns > max_ns)
      return name + ": minimum, median and maximum are not in this order";
  }
  return "";
}

// Invariant (11). An occurrence of a page fault has no length that anybody knows.
std::string check_interference(const CpuInterference& of_cpu) {
  double sum_ns = of_cpu.undisturbed_ns;
  std::set<std::string> seen;
  for (const InterferenceRow& row : of_cpu.rows) {
    const std::string name = name_of({.kind = row.kind, .name = row.name});
    if (!seen.insert(name).second) return name + " is there twice";
    if (!all_finite({row.ns, row.largest_ns})) return name + ": a number is not finite";
    const double most_ns = row.largest_ns * static_cast<double>(row.count);
    if (row.count == 0 || row.largest_ns < 0 || !at_least(row.ns, row.largest_ns) || !at_least(most_ns, row.ns))
      return name + ": count, time and largest do not fit";
    sum_ns += row.ns;
  }
  for (const LateWakeup& wakeup : of_cpu.wakeups)
    if (std::string wrong = check_wakeup(wakeup); !wrong.empty()) return wrong;
  if (!all_finite({of_cpu.watched_ns, of_cpu.undisturbed_ns})) return "a number is not finite";
  const double rounding_ns = kRounding_ns * static_cast<double>(of_cpu.rows.size() + 2);
  if (of_cpu.undisturbed_ns >= 0 && std::abs(sum_ns - of_cpu.watched_ns) <= rounding_ns + of_cpu.watched_ns * 1e-9)
    return "";
  return fmt::format("of {} ns watched {} ns are accounted for", of_cpu.watched_ns, sum_ns);
}

std::string check_interference(const Phase& phase) {
  std::set<unsigned> seen;
  for (const CpuInterference& of_cpu : phase.interference) {
    std::string wrong = check_interference(of_cpu);
    if (!seen.insert(of_cpu.cpu).second) wrong = "it is there twice";
    if (!wrong.empty()) return fmt::format("the interference of CPU {}: {}", of_cpu.cpu, wrong);
  }
  return "";
}

std::string check_phase(const Phase& phase) {
  if (std::string wrong = check_attachments(phase); !wrong.empty()) return wrong;
  std::set<unsigned> seen;
  bool has_samples = false;
  for (const CpuResult& cpu : phase.per_cpu) {
    if (!seen.insert(cpu.cpu).second) return fmt::format("CPU {} is there twice", cpu.cpu);
    if (const std::string wrong = check_result(cpu); !wrong.empty()) return fmt::format("CPU {}: {}", cpu.cpu, wrong);
    has_samples = has_samples || cpu.samples > 0;
  }
  if (std::string wrong = check_exposure(phase); !wrong.empty()) return wrong;
  if (std::string wrong = check_rounds(phase); !wrong.empty()) return wrong;
  if (std::string wrong = check_pairs(phase); !wrong.empty()) return wrong;
  if (std::string wrong = check_interference(phase); !wrong.empty()) return wrong;
  if (phase.maximum_rate)
    if (std::string wrong = check_maximum_rate(*phase.maximum_rate); !wrong.empty()) return wrong;
  seen.clear();
  for (const CpuActivity& activity : phase.activity)
    if (!seen.insert(activity.cpu).second) return fmt::format("the activity of CPU {} is there twice", activity.cpu);
  if (phase.kernel_messages && phase.kernel_messages->count < phase.kernel_messages->kept.size())
    return "it keeps more kernel messages than there were";
  // Invariant (2).
  if (phase.status == PhaseStatus::ok && kind_of(phase).measures && !has_samples) return "it is ok without a sample";
  return check_paths(phase);
}

}  // namespace

Status validate(const RunResult& run) {
  std::set<std::string> names;
  for (const Phase& phase : run.phases) {
    if (!names.insert(phase.name).second) return Error{.text = fmt::format("phase \"{}\" is there twice", phase.name)};
    if (const std::string wrong = check_phase(phase); !wrong.empty()) {
      return Error{.text = fmt::format("phase \"{}\": {}", phase.name, wrong)};
    }
  }
  for (const Comparison& comparison : run.comparisons) {
    if (const std::string wrong = check_comparison(run, comparison); !wrong.empty()) {
      return Error{.text = fmt::format("comparison \"{}\" of \"{}\": {}", comparison.name, comparison.arm, wrong)};
    }
  }
  // Invariant (4).
  if (run.state == RunResult::State::complete && run.phases.empty())
    return Error{.text = "a complete run without a phase"};
  return {};
}

}  // namespace maxlat::core
