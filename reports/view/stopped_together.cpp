// SPDX-License-Identifier: MIT
#include "stopped_together.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/stats/period.hpp>
#include <utility>
#include <vector>

namespace maxlat::reports {
namespace {

constexpr double kTicks_per_s[] = {100, 250, 300, 1000};
constexpr double kAsLong = 0.1;
constexpr double kAlpha = 0.001;
constexpr size_t kMostTried = 5;  // each costs as much as the run is long

double begin_of(const core::Outlier& gap) {
  return gap.t_ns - gap.latency_ns;
}

bool is_of_the_timer(const core::Outlier& gap) {
  double ns = 0;
  for (const core::AccountedTime& part : gap.accounting)
    if (part.kind == core::TimeClass::local_timer || part.kind == core::TimeClass::hrtimer ||
        part.kind == core::TimeClass::timer)
      ns += part.ns;
  return ns > gap.latency_ns / 2;
}

bool recurs_with_the_tick(const core::Outlier& gap, const core::Phase& phase) {
  std::vector<double> times_s;
  for (const core::CpuResult& cpu : phase.per_cpu)
    for (const core::Outlier& other : cpu.outliers)
      if (other.latency_ns >= kAsLong * gap.latency_ns) times_s.push_back(begin_of(other) / 1e9);
  return std::any_of(std::begin(kTicks_per_s), std::end(kTicks_per_s), [&](double rate) {
    return core::beats_with(times_s, begin_of(gap) / 1e9, rate, kAlpha / std::size(kTicks_per_s));
  });
}

// A moment within a gap of each CPU.
struct Stop {
  double shortest_ns = INFINITY;  // of these gaps
  const core::Outlier* longest = nullptr;
};

// Those of all gaps that are kept, the greatest first. Each begins with the last of its gaps.
std::vector<Stop> moments_in_a_gap_of_each(const core::Phase& phase) {
  std::vector<std::pair<const core::Outlier*, size_t>> gaps;  // and the place of their CPU
  for (size_t cpu = 0; cpu < phase.per_cpu.size(); ++cpu)
    for (const core::Outlier& gap : phase.per_cpu[cpu].outliers)
      if (!is_of_the_timer(gap)) gaps.emplace_back(&gap, cpu);
  std::sort(gaps.begin(), gaps.end(),
            [](const auto& one, const auto& other) { return begin_of(*one.first) < begin_of(*other.first); });
  std::vector<const core::Outlier*> latest(phase.per_cpu.size(), nullptr);
  std::vector<Stop> stops;
  for (const auto& [gap, cpu] : gaps) {
    if (latest[cpu] == nullptr || latest[cpu]->t_ns < gap->t_ns) latest[cpu] = gap;
    const double moment = begin_of(*gap);
    if (std::any_of(latest.begin(), latest.end(),
                    [&](const core::Outlier* last) { return last == nullptr || last->t_ns <= moment; }))
      continue;
    const auto by_length = [](const auto* one, const auto* other) { return one->latency_ns < other->latency_ns; };
    const auto [shortest, longest] = std::minmax_element(latest.begin(), latest.end(), by_length);
    stops.push_back({(*shortest)->latency_ns, *longest});
  }
  std::sort(stops.begin(), stops.end(),
            [](const Stop& one, const Stop& other) { return one.shortest_ns > other.shortest_ns; });
  return stops;
}

// How many such moments independent CPUs are expected to have among their gaps of this length and more. Threads that
// are due at the same times, as those of a timer, meet as if their gaps were as long as the time from one to the next.
// One gap of each is the longest that there is, and counts.
bool is_chance(const Stop& stop, const core::Phase& phase) {
  const double cpus = static_cast<double>(phase.per_cpu.size());
  const double time_ns = 1e9 * (phase.duration_s > 0 ? phase.duration_s : phase.exposure_s / cpus);
  if (!(time_ns > 0)) return false;
  const bool of_a_timer = !core::kind_of(phase).gaps;
  bool one_of_each = true;
  double log_expected = std::log(time_ns), widths = 0;  // of products that a double does not hold
  for (const core::CpuResult& cpu : phase.per_cpu) {
    double gaps = 0, longest_ns = 0;
    for (const core::Outlier& gap : cpu.outliers)
      if (gap.latency_ns >= stop.shortest_ns) gaps += 1, longest_ns = std::max(longest_ns, gap.latency_ns);
    one_of_each = one_of_each && gaps <= 1;
    const double apart_ns = of_a_timer ? time_ns / static_cast<double>(std::max<uint64_t>(cpu.samples, 1)) : 0;
    const double width_ns = std::max(longest_ns, apart_ns);
    log_expected += std::log(gaps * width_ns / time_ns);
    widths += 1 / width_ns;
  }
  return !one_of_each && log_expected + std::log(widths) > std::log(kAlpha);
}

}  // namespace

bool stopped_together(const core::Phase& phase) {
  if (phase.per_cpu.size() < 2) return false;
  std::vector<Stop> stops = moments_in_a_gap_of_each(phase);
  stops.resize(std::min(stops.size(), kMostTried));
  return std::any_of(stops.begin(), stops.end(), [&](const Stop& stop) {
    return !is_chance(stop, phase) && !recurs_with_the_tick(*stop.longest, phase);
  });
}

}  // namespace maxlat::reports
