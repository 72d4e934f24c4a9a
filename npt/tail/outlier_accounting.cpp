// SPDX-License-Identifier: MIT
#include "outlier_accounting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/fact_names.hpp>

namespace maxlat::npt {
namespace {

// How many of its outliers it has nothing of.
size_t enter_cpu(const attribution::WatchedCpu& watched, const core::Journal& journal, core::CpuResult& result) {
  const std::vector<core::OutlierSample> samples = journal.outliers().largest_first();
  size_t missing = 0;
  for (size_t i = 0; i < samples.size() && i < result.outliers.size(); ++i) {
    const auto gap = std::find_if(watched.gaps.begin(), watched.gaps.end(), [&](const attribution::AccountedGap& one) {
      return one.end == samples[i].time && one.ticks == samples[i].ticks;
    });
    if (gap != watched.gaps.end())
      result.outliers[i].accounting = gap->parts;
    else
      ++missing;
  }
  return missing;
}

}  // namespace

KernelWatching watch_kernel(const MeasurementPlan& plan, bool has_own_cpu) {
  if (!plan.options.kernel_events) return {};
  if (plan.reads_raw_clock())
    return {nullptr, "the gaps are of CLOCK_MONOTONIC_RAW, the kernel's events of the counter"};
  if (!has_own_cpu) return {nullptr, "every CPU is measured, so none is left to read the events on"};
  auto watch = attribution::KernelWatch::start({plan.options.cpus, plan.clock.ticks_per_ns, plan.options.outliers});
  if (!watch) return {nullptr, watch.error().text};
  return {*std::move(watch), ""};
}

void tell_of(const KernelWatching& kernel, core::Phase& phase) {
  if (kernel.watch) phase.facts[core::fact::kKernelEvents] = "recorded by tracefs, which makes each interrupt longer";
  if (!kernel.why_not.empty()) phase.facts[core::fact::kKernelEvents] = "not recorded: " + kernel.why_not;
}

void enter_accounting(const attribution::WatchResult& watched, const EndedRun& run, core::Phase& phase) {
  size_t missing = 0;
  for (size_t i = 0; i < watched.cpus.size() && i < phase.per_cpu.size(); ++i)
    missing += enter_cpu(watched.cpus[i], run.cpus[i].run->journal, phase.per_cpu[i]);
  phase.facts["kernel_events_read"] = fmt::format("{}", watched.events);
  if (watched.lost > 0) phase.facts["kernel_events_lost"] = fmt::format("{}", watched.lost);
  if (!watched.damage.empty())
    phase.warnings.push_back("the kernel's events were not read to the end: " + watched.damage);
  else if (missing > 0)
    phase.warnings.push_back(
        fmt::format("{} of the largest gaps came too fast to be accounted for by the kernel's events", missing));
}

}  // namespace maxlat::npt
