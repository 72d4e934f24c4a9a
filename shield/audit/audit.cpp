// SPDX-License-Identifier: MIT
#include "audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <maxlat/core/machine/cpu_activity.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <optional>

#include "kernel_events.hpp"
#include "trace_names.hpp"

namespace maxlat::shield {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = core::Interruption::Kind;

// A task of the application; and an interrupt that such a task sends to its own CPU (on PREEMPT_RT the kernel does so
// for it, to have work done there).
bool is_own(const core::Interruption& interruption, const core::CpuActivity& cpu, const AuditPlan& plan) {
  return std::any_of(plan.own.begin(), plan.own.end(), [&](const std::string& task) {
    if (interruption.kind == Kind::task) return interruption.name == task;
    return interruption.kind == Kind::sent && interruption.by == task_on_cpu(task, cpu.cpu);
  });
}

uint64_t own_of(Kind kind, const core::CpuActivity& cpu, const AuditPlan& plan, uint64_t at_most) {
  uint64_t sum = 0;
  for (const core::Interruption& each : cpu.named) sum += each.kind == kind && is_own(each, cpu, plan) ? each.count : 0;
  return std::min(sum, at_most);
}

std::string each_second(uint64_t count, double seconds) {
  return rate_text(static_cast<double>(count) / seconds) + "/s";
}

std::string cause_text(const core::Interruption& cause, double seconds) {
  // A device's interrupt has a number for a name.
  std::string text =
      each_second(cause.count, seconds) + (cause.kind == Kind::device ? " interrupt " : " ") + cause.name;
  if (!cause.what.empty()) text += " (" + cause.what + ")";
  if (!cause.by.empty()) text += ", by " + cause.by;
  return text;
}

// Of interrupts but the timer, and of tasks but own ones; a named IPI rather than the line it came by.
std::string most_frequent(const core::CpuActivity& cpu, const AuditPlan& plan, double seconds) {
  const core::Interruption* most = nullptr;
  const auto look = [&](const core::Interruption& each) {
    if (most == nullptr || each.count > most->count) most = &each;
  };
  for (const core::Interruption& each : cpu.named)
    if ((each.kind == Kind::task || each.kind == Kind::sent) && !is_own(each, cpu, plan)) look(each);
  const bool sent_by_own = own_of(Kind::sent, cpu, plan, UINT64_MAX) != 0;  // a line has theirs and others'
  for (const core::Interruption& each : cpu.counted)
    if (each.kind == Kind::device || (each.kind == Kind::sent && !sent_by_own) || each.kind == Kind::other) look(each);
  if (most != nullptr) return cause_text(*most, seconds);
  const uint64_t switches = cpu.switches.value_or(0);
  return switches == 0 ? "" : each_second(switches, seconds) + " switches to tasks";
}

struct Watched {
  std::vector<core::CpuActivity> activity;
  double seconds = 0;
};

core::Result<Watched> watch(const AuditPlan& plan, const core::MachineView& machine, KernelEvents* events) {
  const core::OffCpus off_the_cpus(plan.cpus);
  if (events != nullptr)
    if (const core::Status on = events->record(true); !on) return on.error();
  const auto begun = Clock::now();
  const auto before = core::activity_of(machine);
  core::rest_until(begun + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(plan.duration_s)));
  const auto after = core::activity_of(machine);
  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  if (events != nullptr)
    if (const core::Status off = events->record(false); !off) return off.error();
  return Watched{core::of_cpus(core::between(before, after), plan.cpus), seconds};
}

core::Status add_names_from(const KernelEvents& events, const AuditPlan& plan, core::Phase& phase) {
  core::CpuList cpus;
  for (const core::CpuActivity& cpu : phase.activity) cpus.push_back(cpu.cpu);
  TraceNames names(cpus);
  uint64_t lost = 0;
  if (const core::Status read = events.read(names, lost); !read) return read;
  tell_lost(lost, plan, phase);
  for (core::CpuActivity& cpu : phase.activity) add_names(names.of(cpu.cpu), cpu);
  phase.facts["names"] = "from the kernel's events";
  if (!events.unknown().empty())
    phase.facts["not told by this kernel"] = fmt::format("{}", fmt::join(events.unknown(), "; "));
  return {};
}

}  // namespace

std::string to_string(CpuVerdict::Kind kind) {
  switch (kind) {
    case CpuVerdict::Kind::quiet:
      return "quiet";
    case CpuVerdict::Kind::only_ticks:
      return "only ticks";
    case CpuVerdict::Kind::disturbed:
      return "disturbed";
  }
  return {};
}

std::string rate_text(double per_s) {
  return fmt::format("{:.{}f}", per_s, per_s < 10 ? 1 : 0);
}

std::string verdict_fact(unsigned cpu) {
  return fmt::format("verdict of CPU {}", cpu);
}

void add_names(std::vector<core::Interruption> named, core::CpuActivity& cpu) {
  cpu.named = std::move(named);
  if (cpu.switches) return;
  cpu.switches = 0;
  for (const core::Interruption& each : cpu.named) *cpu.switches += each.kind == Kind::task ? each.count : 0;
}

void tell_lost(uint64_t lost, const AuditPlan& plan, core::Phase& phase) {
  if (lost == 0) return;
  phase.warnings.push_back(fmt::format("{} events found no room: counts beside names are too low", lost));
  if (all_switches_are_known(phase) && plan.own.empty()) return;  // then names alone are missing
  phase.status = core::PhaseStatus::invalid;
  phase.reason +=
      fmt::format("{}{} events found no room, and the switches that the verdict counts are known by events alone",
                  phase.reason.empty() ? "" : "; ", lost);
}

bool all_switches_are_known(const core::Phase& phase) {
  return std::all_of(phase.activity.begin(), phase.activity.end(),
                     [](const core::CpuActivity& cpu) { return cpu.switches.has_value(); });
}

CpuVerdict judge(const core::CpuActivity& cpu, const AuditPlan& plan, double seconds) {
  const uint64_t timer = cpu.count(Kind::timer);
  const uint64_t own =
      own_of(Kind::task, cpu, plan, cpu.switches.value_or(0)) + own_of(Kind::sent, cpu, plan, cpu.count(Kind::sent));
  const uint64_t all = cpu.interruptions() - own;
  CpuVerdict verdict;
  verdict.per_s = static_cast<double>(all) / seconds;
  verdict.timer_per_s = static_cast<double>(timer) / seconds;
  if (verdict.per_s - verdict.timer_per_s > plan.limit_per_s)
    verdict.kind = CpuVerdict::Kind::disturbed;
  else if (verdict.per_s > plan.limit_per_s)
    verdict.kind = CpuVerdict::Kind::only_ticks;
  if (all > timer) verdict.most = most_frequent(cpu, plan, seconds);
  return verdict;
}

core::Result<core::Phase> audit(const AuditPlan& plan, const core::MachineView& machine) {
  core::Phase phase;
  phase.name = phase.kind = core::kAuditKind.name;
  phase.status = core::PhaseStatus::ok;
  std::optional<KernelEvents> events;
  phase.facts["names"] = "not asked for";
  if (plan.events) {
    core::Result<KernelEvents> prepared = KernelEvents::prepare(machine.root, plan.cpus);
    if (prepared)
      events.emplace(*std::move(prepared));
    else
      phase.facts["names"] = "none: " + prepared.error().text;
  }
  if (!plan.own.empty() && !events)
    return core::Error{fmt::format("--own needs names of tasks; {}", phase.facts["names"]), "leave --own out"};
  phase.started = core::utc_text();
  core::Result<Watched> watched = watch(plan, machine, events ? &*events : nullptr);
  if (!watched) return watched.error();
  phase.duration_s = watched->seconds;
  phase.activity = std::move(watched->activity);
  if (phase.activity.empty()) return core::cannot_run("the counts of interrupts cannot be read", "is /proc mounted?");
  core::CpuList seen;
  for (const core::CpuActivity& cpu : phase.activity) seen.push_back(cpu.cpu);
  if (const core::CpuList gone = core::difference(plan.cpus, seen); !gone.empty()) {
    phase.status = core::PhaseStatus::invalid;
    phase.reason = fmt::format("CPU {} was offline", core::to_string(gone));
  }
  if (events)
    if (const core::Status named = add_names_from(*events, plan, phase); !named) return named.error();
  if (!plan.own.empty()) phase.facts["own"] = fmt::format("{}", fmt::join(plan.own, ", "));
  phase.facts["limit"] = fmt::format("{} interruptions a second", rate_text(plan.limit_per_s));
  for (const core::CpuActivity& cpu : phase.activity) {
    const CpuVerdict verdict = judge(cpu, plan, phase.duration_s);
    phase.facts[verdict_fact(cpu.cpu)] =
        fmt::format("{}, {} interruptions a second, {} of them by the timer", to_string(verdict.kind),
                    rate_text(verdict.per_s), rate_text(verdict.timer_per_s));
  }
  if (!all_switches_are_known(phase))
    phase.warnings.push_back(
        "only interrupts are judged: task switches are not known (no /proc/schedstat, no events of the kernel)");
  return phase;
}

}  // namespace maxlat::shield
