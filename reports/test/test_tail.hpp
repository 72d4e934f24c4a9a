// SPDX-License-Identifier: MIT
//
// A phase whose tail is known, long enough to be fitted. For tests, as test_runs.hpp.
#pragma once

#include <cmath>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/stats/pareto_tail.hpp>
#include <set>

namespace maxlat::reports::test {

// An hour of two CPUs, seven million samples each. The largest of each second is 5 us, and exponential beyond that.
inline core::Phase hour_of_npt(std::uint64_t seed = 1) {
  core::Phase phase;
  phase.name = phase.kind = "npt";
  phase.status = core::PhaseStatus::ok;
  phase.duration_s = 3600;
  std::mt19937_64 random(seed);
  for (const unsigned number : {2u, 3u}) {
    core::CpuResult cpu;
    cpu.cpu = number;
    cpu.bins = {{100, 101, 7'000'000}};
    for (int second = 0; second < 3600; ++second)
      cpu.timeline.max_ns.push_back(5000 + core::excess_of({0, 1000}, -std::log(core::uniform_draw(random))));
    std::multiset<double> sorted(cpu.timeline.max_ns.begin(), cpu.timeline.max_ns.end());
    for (const double ns : sorted) {
      const double low = std::floor(ns);
      if (cpu.bins.back().low_ns != low) cpu.bins.push_back({low, low + 1, 0});
      ++cpu.bins.back().count;
    }
    cpu.exposure_s = 3600;
    cpu.min_ns = 100;
    cpu.max_ns = *sorted.rbegin();
    core::fill_statistics_from_bins(cpu);
    phase.per_cpu.push_back(cpu);
  }
  phase.exposure_s = 7200;
  return phase;
}

}  // namespace maxlat::reports::test
