// SPDX-License-Identifier: MIT
#include "evidence.hpp"

#include <algorithm>
#include <cmath>

#include "view/phase_view.hpp"
#include "view/tail_view.hpp"

namespace maxlat::reports {
namespace {

constexpr double kLikely = 0.8;  // chance of a further run to show what it is for
constexpr std::size_t kShownChanges = 3;

// Samples that know nothing of one another leave few steps with two of them, unless they fill most steps.
bool come_in_bursts(std::uint64_t samples_above, std::size_t steps, std::size_t steps_above) {
  if (steps == 0 || steps_above == 0 || samples_above < 3) return false;
  const auto n = static_cast<double>(steps);
  const double expected = -n * std::expm1(-static_cast<double>(samples_above) / n);
  return static_cast<double>(steps_above) < expected / 2;
}

// Steps are those of each CPU, as the time watched is: a stall of all CPUs is one of each.
std::size_t steps_beyond(const core::Phase& phase, double ns) {
  std::size_t steps = 0;
  for (const core::CpuResult& cpu : phase.per_cpu)
    steps += static_cast<std::size_t>(
        std::count_if(cpu.timeline.max_ns.begin(), cpu.timeline.max_ns.end(), [&](double max) { return max > ns; }));
  return steps;
}

void count_events(Evidence& evidence, const PhaseView& view, double confidence) {
  const core::CpuResult& all = view.all;
  evidence.samples_above = core::samples_above(all, evidence.limit_ns);
  const auto& cpus = view.phase.per_cpu;
  const bool of_steps = std::all_of(cpus.begin(), cpus.end(), [](const core::CpuResult& cpu) {
    return cpu.timeline.kind == core::Timeline::Kind::max;
  });
  if (of_steps) {
    evidence.step_s = cpus.back().timeline.step_s;
    evidence.steps = steps_beyond(view.phase, 0);
    evidence.steps_above = steps_beyond(view.phase, evidence.limit_ns);
  }
  evidence.bursts = come_in_bursts(evidence.samples_above, evidence.steps, evidence.steps_above);
  evidence.events = evidence.bursts ? evidence.steps_above : evidence.samples_above;
  evidence.events_interval = core::events_interval(evidence.events, confidence);
  evidence.events_below = core::events_below(evidence.events, confidence);
  evidence.share_below = core::share_below(evidence.samples_above, all.samples, confidence);
}

// By the time line, whose steps begin when the meter measures; without one nobody knows better than the phase.
double measuring_time(const core::Phase& phase, double exposure_s) {
  double measured_s = 0;
  for (const core::CpuResult& cpu : phase.per_cpu)
    measured_s = std::max(measured_s, cpu.timeline.step_s * static_cast<double>(cpu.timeline.max_ns.size()));
  if (measured_s <= 0) return phase.duration_s;
  if (phase.duration_s > 0) measured_s = std::min(measured_s, phase.duration_s);
  return std::max(measured_s, exposure_s / static_cast<double>(phase.per_cpu.size()));
}

QuantileRow quantile_row(const PhaseView& view, const core::QuantileLevel& level, double confidence) {
  QuantileRow row{.label = level.label, .observed_ns = core::measured_quantile(view.all, level.level)};
  row.dependence = row.observed_ns ? core::dependence_beyond(view.all, view.phase.per_cpu, *row.observed_ns)
                                   : core::SampleDependence{1, "the samples are too few"};
  const double for_one = row.dependence.samples_for_one;
  row.interval = core::quantile_interval(view.all, level.level, confidence, for_one);
  const auto needed = static_cast<double>(core::samples_for_upper_end(level.level, confidence));
  row.samples_needed = static_cast<std::uint64_t>(std::ceil(needed * for_one));
  return row;
}

// As it was counted; where nothing was, as the tail that was fitted has it. A tail that ends below the limit tells no
// more than that nothing was seen.
void find_likely_rate(Evidence& evidence, const PhaseView& view) {
  if (evidence.events > 0) {
    evidence.likely_per_s = static_cast<double>(evidence.events) / evidence.exposure_s;
  } else if (evidence.tail.refusal.empty() && evidence.limit_ns > evidence.tail.threshold_ns) {
    const double rate = rate_above(view, evidence.tail, evidence.limit_ns);
    if (rate > 0) evidence.likely_per_s = rate;
  }
}

void answer(Evidence& evidence, const WantedRate& wanted) {
  const double allowed = wanted.per_s() * evidence.exposure_s;
  if (evidence.events_below <= allowed)
    evidence.answer = Evidence::Answer::shown;
  else if (evidence.events_interval.low >= allowed)
    evidence.answer = Evidence::Answer::ruled_out;
  evidence.further = core::plan_run(wanted.per_s(), evidence.likely_per_s.value_or(0), wanted.confidence, kLikely);
}

void fit_and_extrapolate(Evidence& evidence, const PhaseView& view, const WantedRate& wanted) {
  evidence.tail = tail_of(view);
  evidence.no_level = evidence.tail.refusal;
  if (!evidence.no_level.empty()) return;
  const core::Result<core::ReturnLevel> level = level_in(view, evidence.tail, 1 / wanted.per_s());
  if (level)
    evidence.level = *level;
  else
    evidence.no_level = level.error().text;
}

void find_changes(Evidence& evidence, const core::Timeline& timeline) {
  if (timeline.kind != core::Timeline::Kind::max) return;
  std::vector<double> maxima_ns, times_s;  // of the steps with samples
  for (std::size_t i = 0; i < timeline.max_ns.size(); ++i) {
    if (timeline.max_ns[i] <= 0) continue;
    maxima_ns.push_back(timeline.max_ns[i]);
    times_s.push_back(static_cast<double>(i) * timeline.step_s);
  }
  std::vector<core::ChangePoint> found = core::change_points(maxima_ns);
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.p < b.p; });
  found.resize(std::min(found.size(), kShownChanges));
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  for (const core::ChangePoint& change : found)
    evidence.changes.push_back({times_s[change.at], change.median_before, change.median_after});
}

}  // namespace

Evidence evidence_of(const core::Phase& phase, const WantedRate& wanted, std::optional<double> limit_ns) {
  const PhaseView view(phase);
  Evidence evidence;
  evidence.phase = core::shown_name(phase);
  evidence.cpus = phase.per_cpu.size();
  evidence.exposure_s = view.all.exposure_s;
  evidence.duration_s = phase.duration_s;
  evidence.measuring_s = measuring_time(phase, view.all.exposure_s);
  evidence.samples = view.all.samples;
  evidence.max_ns = view.all.max_ns;
  evidence.limit_ns = limit_ns.value_or(view.all.max_ns);
  count_events(evidence, view, wanted.confidence);
  for (const core::QuantileLevel& level : core::kQuantileLevels) {
    if (not_told(phase, 0)) break;  // of such samples they are none
    evidence.quantiles.push_back(quantile_row(view, level, wanted.confidence));
  }
  find_changes(evidence, view.all.timeline);
  fit_and_extrapolate(evidence, view, wanted);
  find_likely_rate(evidence, view);
  answer(evidence, wanted);
  return evidence;
}

}  // namespace maxlat::reports
