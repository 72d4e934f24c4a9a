// SPDX-License-Identifier: MIT
#include "reading/raw_samples.hpp"

#include <maxlat/base/clock.hpp>
#include <maxlat/core/sys/cpu_list.hpp>

namespace maxlat::importing {

const char* RawSamples::record(unsigned cpu, uint64_t value, uint64_t t_ns) {
  if (value > kLargest) return "no latency is as long as that";
  if (cpu >= by_cpu_.size()) {
    if (cpu > core::kLargestCpu) return "no CPU has a number as large as that";
    by_cpu_.resize(cpu + 1);
  }
  std::unique_ptr<OfCpu>& of_cpu = by_cpu_[cpu];
  if (of_cpu == nullptr) {
    if (++cpus_ > kMostCpus) return "these are samples of more than 1024 CPUs";
    of_cpu = std::make_unique<OfCpu>();
  }
  of_cpu->histogram.record(value, t_ns);
  if (has_times_ && value > of_cpu->largest.floor()) of_cpu->largest.offer(value, t_ns);
  return nullptr;
}

std::vector<core::CpuResult> RawSamples::results() const {
  const base::CounterClock clock = base::clock_with_rate(1 / unit_ns_);  // a tick is a unit
  std::vector<core::CpuResult> results;
  for (unsigned cpu = 0; cpu < by_cpu_.size(); ++cpu) {
    if (by_cpu_[cpu] == nullptr) continue;
    const OfCpu& of_cpu = *by_cpu_[cpu];
    core::CpuResult result = core::cpu_result_from(cpu, of_cpu.histogram, clock);
    for (core::Outlier& outlier : result.overflow) outlier.t_ns /= unit_ns_;  // a time is in nanoseconds already
    for (const core::OutlierSample& sample : of_cpu.largest.largest_first())
      result.outliers.push_back({.t_ns = static_cast<double>(sample.time),
                                 .latency_ns = clock.to_ns(static_cast<double>(sample.ticks)),
                                 .cpu = cpu,
                                 .cause = {}});
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace maxlat::importing
