// SPDX-License-Identifier: MIT
#include "tail_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/sys/duration.hpp>

namespace maxlat::reports {
namespace {

constexpr std::uint64_t kSeed = 13;  // of the bootstrap: the same answer each time

struct AskedPeriod {
  const char* name;
  double seconds;
};
constexpr AskedPeriod kPeriods[] = {{"1 h", 3600}, {"1 d", 86'400}, {"1 week", 604'800}, {"30 d", 2'592'000}};

// How many CPUs a large latency is of: 1 where each has its own, all of them where one disturbance stops them together.
double cpus_together(const PhaseView& view, double threshold_ns) {
  const auto above = [&](const core::Timeline& timeline) {
    return static_cast<double>(
        std::count_if(timeline.max_ns.begin(), timeline.max_ns.end(), [&](double ns) { return ns > threshold_ns; }));
  };
  double each = 0;
  for (const core::CpuResult& cpu : view.phase.per_cpu) each += above(cpu.timeline);
  return std::max(1.0, each / above(view.all.timeline));
}

std::string interval_text(const core::Interval& interval) {
  return fmt::format("{} to {}", core::latency_text(interval.low), core::latency_text(interval.high));
}

}  // namespace

core::TailFit tail_of(const PhaseView& view) {
  return core::fit_tail(view.all.timeline, kSeed);
}

double cpu_time_of_steps(const PhaseView& view, const core::TailFit& fit, double steps) {
  return steps * view.all.exposure_s /
         (cpus_together(view, fit.threshold_ns) * static_cast<double>(fit.maxima_ns.size()));
}

core::Result<core::ReturnLevel> level_in(const PhaseView& view, const core::TailFit& fit, double period_s) {
  return core::return_level(fit, period_s * fit.step_s / cpu_time_of_steps(view, fit, 1));
}

double rate_above(const PhaseView& view, const core::TailFit& fit, double ns) {
  const double in_a_step = static_cast<double>(fit.excesses_ns.size()) / static_cast<double>(fit.maxima_ns.size()) *
                           std::exp(-core::exponential_of(fit.tail, ns - fit.threshold_ns));
  return in_a_step / cpu_time_of_steps(view, fit, 1);
}

std::optional<TailView> tail_view(const PhaseView& view) {
  if (!core::kind_of(view.phase).measures || !view.phase.comparison.empty() || view.all.samples == 0) return {};
  if (unfit_because(view.phase) || found_nothing(view.all)) return {};
  TailView tail{tail_of(view), {}, {}};
  tail.refusal = tail.fit.refusal;
  if (!tail.refusal.empty()) return tail;
  if (!(view.all.exposure_s > 0)) {
    tail.refusal = "The CPU time watched is not known.";
    return tail;
  }
  for (const AskedPeriod& asked : kPeriods) {
    const auto level = level_in(view, tail.fit, asked.seconds);
    tail.refusal = level ? "" : level.error().text;
    if (level)
      tail.levels.push_back({asked.name, asked.seconds, *level});
    else if (!tail.levels.empty())
      break;  // what a day does not have, a week has neither
  }
  return tail;
}

std::string tail_levels(const TailView& tail) {
  std::string text;
  for (const TailLevel& row : tail.levels)
    text += fmt::format("{} {}{} {} ({})", text.empty() ? "once in" : ", in", row.period,
                        text.empty() ? " of CPU time" : "", core::latency_text(row.level.level_ns),
                        interval_text(row.level.interval_ns));
  return text;
}

std::string tail_sentence(const TailView& tail) {
  if (tail.levels.empty()) return "no extrapolation. " + tail.refusal;
  std::string text = tail_levels(tail);
  const auto least = std::min_element(tail.fit.checks.begin(), tail.fit.checks.end(),
                                      [](const auto& one, const auto& other) { return one.p < other.p; });
  text += fmt::format("; of {} maxima above {}; all checks hold, the least p is {:.2g} ({})",
                      tail.fit.excesses_ns.size(), core::latency_text(tail.fit.threshold_ns), least->p, least->name);
  return tail.refusal.empty() ? text : text + ". No further: " + tail.refusal;
}

}  // namespace maxlat::reports
