// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/attribution/outlier_accounting.hpp>
#include <maxlat/core/result/fact_names.hpp>

namespace maxlat::attribution {
namespace {

// How many of its outliers it has nothing of.
size_t enter_cpu(const std::vector<AccountedGap>& watched, const core::Outliers& kept, core::CpuResult& result) {
  const std::vector<core::OutlierSample> samples = kept.largest_first();
  size_t missing = 0;
  for (size_t i = 0; i < samples.size() && i < result.outliers.size(); ++i) {
    const auto gap = std::find_if(watched.begin(), watched.end(), [&](const AccountedGap& one) {
      return one.end == samples[i].time && one.ticks == samples[i].ticks;
    });
    if (gap != watched.end())
      result.outliers[i].accounting = gap->parts;
    else
      ++missing;
  }
  return missing;
}

}  // namespace

KernelWatching watch_kernel(const WatchPlan& plan) {
  auto watch = KernelWatch::start(plan);
  if (!watch) return {nullptr, watch.error().text};
  return {*std::move(watch), ""};
}

void tell_of(const KernelWatching& kernel, core::Phase& phase) {
  if (kernel.watch)
    phase.facts[core::fact::kKernelEvents] =
        fmt::format("recorded by {}, which makes each interrupt longer", kernel.watch->backend());
  if (!kernel.why_not.empty()) phase.facts[core::fact::kKernelEvents] = "not recorded: " + kernel.why_not;
}

void enter_accounting(const WatchResult& watched, std::span<const core::Outliers* const> kept, core::Phase& phase) {
  size_t missing = 0;
  for (size_t i = 0; i < watched.cpus.size() && i < phase.per_cpu.size(); ++i)
    missing += enter_cpu(watched.cpus[i], *kept[i], phase.per_cpu[i]);
  phase.interference = watched.interference;
  phase.facts[core::fact::kSmiCount] = core::smi_text(watched.machine);
  phase.facts["kernel_events_read"] = fmt::format("{}", watched.events);
  if (watched.lost > 0) {
    phase.facts["kernel_events_lost"] = fmt::format("{}", watched.lost);
    phase.warnings.push_back(fmt::format(
        "{} of {} events of the kernel came faster than they were read: what they tell is \"before the history\"",
        watched.lost, watched.events + watched.lost));
  }
  if (!watched.damage.empty())
    phase.warnings.push_back("the kernel's events were not read to the end: " + watched.damage);
  else if (missing > 0)
    phase.warnings.push_back(
        fmt::format("{} of the largest gaps came too fast to be accounted for by the kernel's events", missing));
}

}  // namespace maxlat::attribution
