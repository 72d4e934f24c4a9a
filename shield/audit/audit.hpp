// SPDX-License-Identifier: MIT
//
// Proof of a shield: what interrupted its CPUs in a given time, and who did it. Changes no setting. Looks from other
// CPUs, at what the kernel counts in any case (cpu_activity.hpp); the names need events (kernel_events.hpp) and are
// left out, with the reason, where there are none.
//
// Verdict of a CPU
//   quiet        at most `limit_per_s` interruptions a second
//   only ticks   that, apart from its own timer: the tick goes away with a parameter of the kernel (nohz_full) alone
//   disturbed    more
// An application that sleeps and wakes on its CPU makes switches of its own: `own` names its tasks, which are then no
// interruption. That needs names.
#pragma once

#include <cstdint>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

namespace maxlat::shield {

struct AuditPlan {
  core::CpuList cpus;
  double duration_s = 10;
  double limit_per_s = 1;
  std::vector<std::string> own{};  // names of tasks that belong there
  bool events = true;              // ask for names
};

struct CpuVerdict {
  enum class Kind { quiet, only_ticks, disturbed } kind = Kind::quiet;
  double per_s = 0, timer_per_s = 0;  // all interruptions but own tasks; those of them by the timer
  std::string most{};                 // the cause of most of the others: "12/s hog (real-time 50) by sh on CPU 0"
};
std::string to_string(CpuVerdict::Kind kind);

// Of each CPU. Without them a verdict is about interrupts alone: a warning says so, and the command ends with 3.
bool all_switches_are_known(const core::Phase& phase);
CpuVerdict judge(const core::CpuActivity& cpu, const AuditPlan& plan, double seconds);
std::string rate_text(double per_s);  // "0.4", "1131"
// The fact of a phase that has a CPU's verdict: "disturbed, 441 interruptions a second, 250 of them by the timer".
std::string verdict_fact(unsigned cpu);

// Gives a CPU its names. Where the kernel does not count switches, those that are named are counted.
void add_names(std::vector<core::Interruption> named, core::CpuActivity& cpu);

// Before names are added. A lost event may have been a switch: where the kernel counts switches by its events alone, or
// some of them are a task's own, no verdict is valid, and the phase says so.
void tell_lost(uint64_t lost, const AuditPlan& plan, core::Phase& phase);

// A phase of kind "audit": activity of the CPUs, the facts that a reader needs, duration. It ends early when a stop was
// requested. The calling thread keeps off these CPUs meanwhile. ERRORS: the counts cannot be read; tasks of its own are
// named, and there are no events to tell them by.
core::Result<core::Phase> audit(const AuditPlan& plan, const core::MachineView& machine);

}  // namespace maxlat::shield
