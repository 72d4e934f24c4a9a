// SPDX-License-Identifier: MIT
//
// Whether a meter found the planted stalls. Pure: stalls and a phase in, a judgement out.
//
// Hog and meter read different clocks: the hog CLOCK_MONOTONIC, the meter the counter since its start. The counter's
// rate is known to some parts per million and the clock is slewed by NTP, so the two drift apart with the age of the
// phase; the window in which a gap counts as the stall's grows with it.
#include <algorithm>
#include <map>
#include <maxlat/core/result/phase_start.hpp>
#include <maxlat/loadgen/control.hpp>
#include <optional>
#include <utility>

namespace maxlat::loadgen {
namespace {

constexpr double kResolutionNs = 1000;  // of the comparison: cyclictest counts whole microseconds
constexpr double kClockSlackNs = 20'000;
constexpr double kClockDrift = 100e-6;

const core::CpuResult* result_of(const core::Phase& phase, unsigned cpu) {
  for (const core::CpuResult& result : phase.per_cpu)
    if (result.cpu == cpu) return &result;
  return nullptr;
}

core::PlantedStall unjudged(const Stall& stall) {
  return {.cpu = stall.cpu,
          .planted_ns = static_cast<double>(stall.planted_ns),
          .actual_ns = static_cast<double>(stall.actual_ns),
          .wake_ns = static_cast<double>(stall.wake_ns)};
}

// The longest sample that the stall explains.
double most_of(const core::PlantedStall& stall, double stated_error_ns) {
  return stall.actual_ns + stall.wake_ns + stated_error_ns;
}

// Largest gap of `cpu` that overlaps the stall, 0 when there is none. Times are since the start of the phase.
double largest_overlapping(const core::CpuResult& cpu, double begin_ns, double end_ns) {
  const double slack = kClockSlackNs + kClockDrift * std::max(0.0, end_ns);
  double largest = 0;
  const auto look = [&](const std::vector<core::Outlier>& outliers) {
    for (const core::Outlier& gap : outliers)
      if (gap.t_ns >= begin_ns - slack && gap.t_ns - gap.latency_ns <= end_ns + slack)
        largest = std::max(largest, gap.latency_ns);
  };
  look(cpu.outliers);
  look(cpu.overflow);
  return largest;
}

// The largest sample of at most `limit_ns`, 0 when there is none. The maximum itself is exact; of the others the bins
// know the lower edge, which is never too large.
double largest_up_to(const core::CpuResult& cpu, double limit_ns) {
  if (cpu.max_ns <= limit_ns) return cpu.max_ns;
  double largest = 0;
  const auto take = [&](double ns) {
    if (ns <= limit_ns) largest = std::max(largest, ns);
  };
  for (const core::Bin& bin : cpu.bins) take(bin.low_ns);
  for (const core::Outlier& outlier : cpu.outliers) take(outlier.latency_ns);
  for (const core::Outlier& outlier : cpu.overflow) take(outlier.latency_ns);
  return largest;
}

}  // namespace

core::ControlResult match_gaps(const std::string& meter, const std::vector<Stall>& stalls, const core::Phase& phase,
                               double stated_error_ns) {
  core::ControlResult control{.meter = meter, .stated_error_ns = stated_error_ns, .stalls = {}};
  const std::optional<uint64_t> start_ns = core::start_monotonic_ns(phase);
  for (const Stall& stall : stalls) {
    core::PlantedStall judged = unjudged(stall);
    if (const core::CpuResult* cpu = result_of(phase, stall.cpu); cpu != nullptr && start_ns) {
      const auto since_start = [&](uint64_t ns) { return static_cast<double>(ns) - static_cast<double>(*start_ns); };
      judged.found_ns =
          largest_overlapping(*cpu, since_start(stall.begin_monotonic_ns), since_start(stall.end_monotonic_ns));
      judged.found =
          judged.actual_ns <= judged.found_ns + kResolutionNs && judged.found_ns <= most_of(judged, stated_error_ns);
    }
    control.stalls.push_back(judged);
  }
  return control;
}

core::ControlResult match_periodic(const std::string& meter, const std::vector<Stall>& stalls, const core::Phase& phase,
                                   double interval_ns, double stated_error_ns) {
  std::map<unsigned, Stall> longest;
  for (const Stall& stall : stalls) {
    const auto [at, first] = longest.emplace(stall.cpu, stall);
    if (!first && stall.actual_ns > at->second.actual_ns) at->second = stall;
  }
  core::ControlResult control{.meter = meter, .stated_error_ns = stated_error_ns, .stalls = {}};
  for (const auto& [number, stall] : longest) {
    core::PlantedStall judged = unjudged(stall);
    const core::CpuResult* cpu = result_of(phase, number);
    if (cpu != nullptr && judged.actual_ns > interval_ns) {
      // What is too short for the stall says nothing of it: without times, any sample may be any other disturbance.
      const double largest = largest_up_to(*cpu, most_of(judged, stated_error_ns));
      judged.found = largest > 0 && judged.actual_ns - interval_ns <= largest + kResolutionNs;
      if (judged.found) judged.found_ns = largest;
    }
    control.stalls.push_back(judged);
  }
  return control;
}

}  // namespace maxlat::loadgen
