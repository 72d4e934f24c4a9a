// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/attribution/accounting.hpp>
#include <maxlat/attribution/outlier_accounting.hpp>
#include <maxlat/base/clock.hpp>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/phase_start.hpp>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/duration.hpp>

namespace maxlat::attribution {
namespace {

// How many of its outliers it has nothing of.
size_t enter_cpu(const std::vector<AccountedGap>& watched, const std::vector<core::OutlierSample>& samples,
                 core::CpuResult& result) {
  size_t missing = 0;
  for (size_t i = 0; i < samples.size() && i < result.outliers.size(); ++i) {
    const auto gap = std::find_if(watched.begin(), watched.end(), [&](const AccountedGap& one) {
      return one.end == samples[i].time && one.ticks == samples[i].ticks;
    });
    if (gap != watched.end())
      result.outliers[i].accounting = gap->parts;
    else
      missing += samples[i].ticks != 0;  // one that took no time was nobody's
  }
  return missing;
}

constexpr size_t kWakeupsKept = 10;

// "calibrated, RULE of 7 ways beside WHAT of this run"
std::string origin_text(const LimitOfWays& limit, const std::string& rule, const char* what) {
  const std::string ways = fmt::format("{} beside {}", core::counted(limit.ways, "way"), what);
  if (limit.is_calibrated) return fmt::format("calibrated, {} of {} of this run", rule, ways);
  return fmt::format("measured on one virtual machine, not on this one ({})", ways);
}

std::string around_text(const AroundLimit& around) {
  const auto& [of_interrupt, of_switch] = around;
  std::string text = fmt::format("at most {} at a stretch: {}", core::latency_text(of_interrupt.at_most_ns),
                                 origin_text(of_interrupt, "eight times the median", "lone ticks"));
  if (of_switch.is_calibrated || of_switch.at_most_ns != of_interrupt.at_most_ns)
    text +=
        fmt::format("; beside a task switch at most {}: {}", core::latency_text(of_switch.at_most_ns),
                    origin_text(of_switch,
                                fmt::format("twice the ninth decile, within {} and {},",
                                            core::latency_text(kAroundAtMost_ns), core::latency_text(kSwitchAtMost_ns)),
                                "task switches"));
  return text;
}

void enter_run(const WatchResult& watched, core::Phase& phase) {
  phase.interference = watched.interference;
  phase.facts[core::fact::kSmiCount] = core::smi_text(watched.machine);
  if (const std::string steal = core::steal_text(watched.machine); !steal.empty())
    phase.facts[core::fact::kSteal] = steal;
  phase.facts["around"] = around_text(watched.around);
  phase.facts["kernel_events_read"] = fmt::format("{}", watched.events);
  if (watched.lost > 0) {
    phase.facts["kernel_events_lost"] = fmt::format("{}", watched.lost);
    phase.warnings.push_back(fmt::format(
        "{} of {} events of the kernel came faster than they were read: what they tell is \"before the history\"",
        watched.lost, watched.events + watched.lost));
  }
  if (watched.lost_elsewhere > 0)
    phase.facts["kernel_events_of_other_cpus_lost"] =
        fmt::format("{}: who woke or sent meanwhile is not named", watched.lost_elsewhere);
  if (!watched.damage.empty())
    phase.warnings.push_back("the kernel's events were not read to the end: " + watched.damage);
}

}  // namespace

KernelWatching watch_program(const core::CpuList& cpus, const WatchedThreads& threads) {
  return watch_kernel(
      {.cpus = cpus, .watched = Watched::another_program, .threads = threads, .gaps_kept = kWakeupsKept},
      base::calibrate());
}

KernelWatching watch_kernel(WatchPlan plan, const base::CounterClock& counter) {
  if (!counter.trusted) return {nullptr, "the time-stamp counter is not trusted: " + counter.why};
  plan.ticks_per_ns = counter.ticks_per_ns;
  return watch_kernel(plan);
}

KernelWatching watch_kernel(const WatchPlan& plan) {
  auto watch = KernelWatch::start(plan);
  if (!watch) return {nullptr, watch.error().text};
  return {*std::move(watch), ""};
}

void tell_of(const KernelWatching& kernel, core::Phase& phase) {
  if (kernel.watch)
    phase.facts[core::fact::kKernelEvents] =
        fmt::format("recorded by {}, which makes each interrupt longer{}{}{}{}", kernel.watch->backend(),
                    kernel.watch->passed_over().empty() ? "" : "; ", kernel.watch->passed_over(),
                    kernel.watch->not_told().empty() ? "" : "; ", kernel.watch->not_told());
  if (!kernel.why_not.empty()) phase.facts[core::fact::kKernelEvents] = "not recorded: " + kernel.why_not;
}

void enter_accounting(const WatchResult& watched, std::span<const std::vector<core::OutlierSample>> kept,
                      core::Phase& phase) {
  size_t missing = 0;
  for (size_t i = 0; i < watched.cpus.size() && i < phase.per_cpu.size(); ++i)
    missing += enter_cpu(watched.cpus[i], kept[i], phase.per_cpu[i]);
  enter_run(watched, phase);
  if (!watched.damage.empty()) return;
  const size_t declined = std::min<size_t>(missing, watched.declined), too_fast = missing - declined;
  if (declined > 0)
    phase.warnings.push_back(fmt::format(
        "{} of the largest gaps ended on another CPU, where its thread was moved: nobody is named", declined));
  if (too_fast > 0)
    phase.warnings.push_back(
        fmt::format("{} of the largest gaps came too fast to be accounted for by the kernel's events", too_fast));
}

void enter_wakeups(const WatchResult& watched, core::Phase& phase) {
  enter_run(watched, phase);
  core::set_start(phase, watched.start_monotonic_ns);
  const size_t of = watched.cpus.size(), seen = watched.interference.size();
  if (seen < of && watched.damage.empty())
    phase.warnings.push_back(fmt::format("on {} of {} the kernel's events have none of the meter's thread", of - seen,
                                         core::counted(of, "CPU")));
}

}  // namespace maxlat::attribution
