// SPDX-License-Identifier: MIT
//
// The kernel: preemption model, what stops a real-time loop by design, watchdogs, timers, tracers, debugging.
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/machine/setting_readers.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/realtime.hpp>
#include <maxlat/core/sys/tracefs.hpp>

namespace maxlat::core {
namespace {

// /sys/kernel/realtime came with the RT patch and with 6.12; the version line of uname says it everywhere ("PREEMPT RT"
// in old patches). PREEMPT_DYNAMIC chooses among the other models at run time.
Reading read_preemption_model(const MachineView& machine) {
  if (machine.read("/sys/kernel/realtime").value_or("") == "1") return ok("PREEMPT_RT");
  const auto version = machine.read("/proc/sys/kernel/version");
  if (!version) return unknown();
  if (has_word(*version, "PREEMPT_RT") || version->find("PREEMPT RT") != std::string::npos) return ok("PREEMPT_RT");
  if (has_word(*version, "PREEMPT_DYNAMIC")) {
    const auto chosen = machine.read("/sys/kernel/debug/sched/preempt");
    return bad(chosen ? fmt::format("PREEMPT_DYNAMIC, {}", chosen_word(*chosen)) : "PREEMPT_DYNAMIC");
  }
  return bad(has_word(*version, "PREEMPT") ? "PREEMPT" : "no preemption in the kernel");
}

// Root is not told to be root, but what to do: nothing is mounted behind its back.
std::string why_not_readable(const MachineView& machine, const std::string& file_system, const char* mount_point) {
  const std::string mounts = machine.read("/proc/self/mounts").value_or("");
  return mounts.find(" " + file_system + " ") != std::string::npos
             ? file_system + " can be read by root only"
             : fmt::format("{0} is not mounted: mount -t {0} {0} {1}", file_system, mount_point);
}

Reading read_throttling(const MachineView& machine) {
  const RtThrottling throttling = read_rt_throttling(machine.root, machine.measured());
  using By = RtThrottling::By;
  if (!throttling.known)
    return unknown(throttling.by == By::fair_server || throttling.by == By::either
                       ? "the fair server is in debugfs; " + why_not_readable(machine, "debugfs", "/sys/kernel/debug")
                       : "");
  if (throttling.by == By::nothing) return ok("off");
  return bad(fmt::format("{} of each {}{}", latency_text(static_cast<double>(throttling.stop_ns)),
                         latency_text(static_cast<double>(throttling.period_ns)),
                         throttling.by == By::fair_server ? " (fair server)"
                         : throttling.by == By::either    ? " (RT throttling or the fair server)"
                                                          : ""));
}

// Linux 6.12 warns now and then when a fair server's runtime is written, and a kernel that panics by a warning is down.
std::vector<FileWrite> fair_servers_off(const MachineView& machine) {
  std::vector<FileWrite> writes;
  if (machine.read("/proc/sys/kernel/panic_on_warn").value_or("0") != "0") return writes;
  for (const unsigned cpu : machine.measured()) {
    std::string path = fmt::format("/sys/kernel/debug/sched/fair_server/cpu{}/runtime", cpu);
    if (machine.read(path)) writes.push_back({std::move(path), "0"});
  }
  return writes;
}

Reading read_nmi_watchdog(const MachineView& machine) {
  return file_holds(machine, "/proc/sys/kernel/nmi_watchdog", "0");
}

Reading read_soft_watchdog(const MachineView& machine) {
  const auto enabled = machine.read("/proc/sys/kernel/soft_watchdog");
  if (!enabled) return unknown();
  if (*enabled == "0") return ok("off");
  const auto cpus = read_cpus(machine, "/proc/sys/kernel/watchdog_cpumask");  // a list in spite of its name
  if (!cpus) return unknown();
  return judged(intersection(*cpus, machine.measured()).empty(), "on " + cpus_text(*cpus));
}

Reading read_timer_migration(const MachineView& machine) {
  return file_holds(machine, "/proc/sys/kernel/timer_migration", "0");
}

// Other tools trace in instances, which cost just as much.
Reading read_tracers(const MachineView& machine) {
  for (const std::string tracefs : kTracefsPlaces) {
    if (!machine.read(tracefs + "/current_tracer")) continue;
    std::vector<std::string> places{tracefs};
    for (const std::string& instance : machine.list(tracefs + "/instances"))
      places.push_back(tracefs + "/instances/" + instance);
    std::vector<std::string> active;
    for (const std::string& place : places) {
      const auto tracer = machine.read(place + "/current_tracer"), events = machine.read(place + "/events/enable");
      if (!tracer || !events) return unknown();
      if (*tracer != "nop") active.push_back(*tracer);
      if (*events != "0")
        active.push_back(place == tracefs ? "events" : "events in " + place.substr(place.rfind('/') + 1));
    }
    return active.empty() ? ok("none") : bad(joined(active));
  }
  return unknown(why_not_readable(machine, "tracefs", "/sys/kernel/tracing"));
}

bool holds(const std::vector<std::string>& names, const char* name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Kernels that check themselves leave files behind.
Reading read_debugging(const MachineView& machine) {
  const auto proc = machine.list("/proc");
  const auto command_line = kernel_command_line(machine);
  if (proc.empty() || !command_line) return unknown();
  std::vector<std::string> found;
  if (holds(proc, "lockdep_stats")) found.push_back("lockdep");
  if (holds(machine.list("/sys/kernel/debug"), "kmemleak")) found.push_back("kmemleak");
  if (command_line->value("slub_debug") || command_line->value("slab_debug")) found.push_back("slab debugging");
  return found.empty() ? ok("none seen") : bad(joined(found));
}

}  // namespace

static std::vector<Setting> kernel_settings() {
  return {
      {.name = "preemption model",
       .group = "kernel",
       .expected = "PREEMPT_RT",
       .why =
           "without PREEMPT_RT spinlocks, softirqs and interrupt handlers cannot be preempted: the worst case has no "
           "bound, whatever a short run shows",
       .fix = "boot a PREEMPT_RT kernel (Debian: apt install linux-image-rt-amd64)",
       .needs_reboot = true,
       .read = read_preemption_model},
      {.name = "RT throttling",
       .group = "kernel",
       .expected = "off",
       .why =
           "a SCHED_FIFO loop that never sleeps is stopped for this long, so that the rest of the system can run; the "
           "stop looks like a stall of tens of milliseconds",
       .set = {{"/proc/sys/kernel/sched_rt_runtime_us", "-1"}},
       .set_here = fair_servers_off,
       .where =
           "`0` in `/sys/kernel/debug/sched/fair_server/cpu{cpu}/runtime`, where `/proc/sys/kernel/panic_on_warn` is 0",
       .fix = "a loop that hangs then hangs the CPU",
       .elsewhere = "look where /proc is mounted: it is in /proc/sys/kernel/sched_rt_runtime_us",
       .read = read_throttling},
      {.name = "NMI watchdog",
       .group = "kernel",
       .expected = "0",
       .why =
           "the hard lockup detector interrupts every CPU with an NMI, which nothing can mask, and takes a performance "
           "counter",
       .set = {{"/proc/sys/kernel/nmi_watchdog", "0"}},
       .read = read_nmi_watchdog},
      {.name = "soft lockup watchdog",
       .group = "kernel",
       .expected = "off, or not on measured CPUs",
       .why = "a thread with the highest priority of all wakes on each watched CPU every few seconds",
       .set = {{"/proc/sys/kernel/watchdog_cpumask", "{others}"}},
       .fix = "or, for all CPUs, echo 0 > /proc/sys/kernel/soft_watchdog",
       .elsewhere = "boot with nowatchdog on the kernel command line",
       .read = read_soft_watchdog},
      {.name = "timer migration",
       .group = "kernel",
       .expected = "0",
       .why = "timers that were armed on an idle CPU may be moved to a busy one: a measured one",
       .set = {{"/proc/sys/kernel/timer_migration", "0"}},
       .read = read_timer_migration},
      {.name = "kernel tracers",
       .group = "kernel",
       .expected = "none",
       .why = "an enabled tracer or event adds its cost to every path that it watches",
       .set = {{"/sys/kernel/tracing/current_tracer", "nop"}, {"/sys/kernel/tracing/events/enable", "0"}},
       .fix = "do the same in every /sys/kernel/tracing/instances/NAME",
       .elsewhere = "as root, mount -t tracefs nodev /sys/kernel/tracing, and look again",
       .only_when_asked = true,
       .read = read_tracers},
      {.name = "kernel debugging",
       .group = "kernel",
       .expected = "none",
       .why = "a kernel that checks its own locks and memory has other latencies than the one that will be deployed",
       .fix = "boot a kernel without lockdep, kmemleak and KASAN, and without slub_debug",
       .needs_reboot = true,
       .read = read_debugging},
  };
}

extern const SettingGroup kKernelSettings{kernel_settings};

}  // namespace maxlat::core
