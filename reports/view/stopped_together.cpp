// SPDX-License-Identifier: MIT
#include "stopped_together.hpp"

#include <algorithm>
#include <cmath>
#include <maxlat/core/stats/period.hpp>
#include <vector>

namespace maxlat::reports {
namespace {

constexpr double kTicks_per_s[] = {100, 250, 300, 1000};
constexpr double kAsLong = 0.1;
constexpr double kAlpha = 0.001;

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

}  // namespace

bool stopped_together(const core::Phase& phase) {
  if (phase.per_cpu.size() < 2) return false;
  double begin = -INFINITY, end = INFINITY;
  const core::Outlier* longest = nullptr;
  for (const core::CpuResult& cpu : phase.per_cpu) {
    const auto gap = std::find_if_not(cpu.outliers.begin(), cpu.outliers.end(), is_of_the_timer);
    if (gap == cpu.outliers.end()) return false;
    begin = std::max(begin, begin_of(*gap));
    end = std::min(end, gap->t_ns);
    if (longest == nullptr || gap->latency_ns > longest->latency_ns) longest = &*gap;
  }
  return begin < end && !recurs_with_the_tick(*longest, phase);
}

}  // namespace maxlat::reports
