// SPDX-License-Identifier: MIT
//
// A machine as the settings table wants it, of four CPUs, of which 2 and 3 are measured; tests spoil one file of it.
#pragma once

#include <gtest/gtest.h>

#include <maxlat/core/machine/settings.hpp>
#include <string>
#include <string_view>

#include "test_machine.hpp"

namespace maxlat::core {

inline std::string cpu(unsigned number, const std::string& file) {
  return "/sys/devices/system/cpu/cpu" + std::to_string(number) + "/" + file;
}

inline std::string cpuinfo(const std::string& flags, const std::string& microcode_of_last = "0x42") {
  std::string text;
  for (int i = 0; i < 4; ++i)
    text += "processor\t: " + std::to_string(i) +
            "\nvendor_id\t: GenuineIntel\nmodel name\t: A CPU @ 2.00GHz\nmicrocode\t: " +
            (i == 3 ? microcode_of_last : "0x42") + "\nflags\t\t: fpu " + flags + "\n\n";
  return text;
}

// A machine as the table wants it.
inline void make_good(FakeMachine& root) {
  root.file("/sys/devices/system/cpu/online", "0-3\n");
  root.file("/sys/devices/system/cpu/isolated", "2-3\n");
  root.file("/sys/devices/system/cpu/nohz_full", "2-3\n");
  root.file("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  root.file("/proc/cmdline", "BOOT_IMAGE=/vmlinuz rcu_nocbs=2-3 quiet\n");
  root.file("/proc/cpuinfo", cpuinfo("constant_tsc nonstop_tsc"));
  root.file("/proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n");
  root.file("/proc/loadavg", "0.05 0.02 0.01 1/88 1234\n");
  root.file("/proc/1/comm", "systemd\n");
  root.file("/proc/1/task/1/stat", stat_line(1, "systemd", 0, 0, 0));
  root.file("/proc/irq/24/effective_affinity_list", "0\n");
  root.file("/proc/irq/24/eth0/x", "");
  root.file("/proc/irq/25/smp_affinity_list", "0-1\n");
  root.file("/proc/irq/default_smp_affinity", "3\n");
  root.file("/proc/sys/kernel/version", "#1 SMP PREEMPT_RT Debian 6.1.140-1\n");
  root.file("/proc/sys/kernel/osrelease", "6.1.0-37-rt-amd64\n");
  root.file("/proc/sys/kernel/sched_rt_period_us", "1000000\n");
  root.file("/proc/sys/kernel/sched_rt_runtime_us", "-1\n");
  root.file("/proc/sys/kernel/nmi_watchdog", "0\n");
  root.file("/proc/sys/kernel/soft_watchdog", "1\n");
  root.file("/proc/sys/kernel/watchdog_cpumask", "0-1\n");
  root.file("/proc/sys/kernel/timer_migration", "0\n");
  root.file("/proc/sys/kernel/numa_balancing", "0\n");
  root.file("/proc/sys/vm/stat_interval", "10\n");
  root.file("/sys/kernel/tracing/current_tracer", "nop\n");
  root.file("/sys/kernel/tracing/events/enable", "0\n");
  root.file("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
  root.file("/sys/kernel/mm/ksm/run", "0\n");
  root.file("/sys/devices/virtual/workqueue/cpumask", "00000000,00000003\n");
  root.file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  root.file("/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm\n");
  root.file("/sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected\n");
  root.file("/sys/devices/system/cpu/vulnerabilities/spectre_v2", "Mitigation: Retpolines\n");
  root.file("/sys/class/hwmon/hwmon0/name", "coretemp\n");
  root.file("/sys/class/hwmon/hwmon0/temp1_input", "45000\n");
  root.file("/sys/class/dmi/id/sys_vendor", "Dell Inc.\n");
  root.file("/sys/class/dmi/id/product_name", "PowerEdge R650\n");
  root.file("/run/systemd/sessions/3", "UID=0\nSTATE=active\nTYPE=tty\nCLASS=user\n");
  root.file("/dev/cpu_dma_latency", std::string("\x00\x94\x35\x77", 4));
  for (unsigned i = 0; i < 4; ++i) {
    root.file(cpu(i, "cpufreq/energy_performance_preference"), "performance\n");
    root.file(cpu(i, "cpufreq/scaling_governor"), "performance\n");
    root.file(cpu(i, "topology/thread_siblings_list"), std::to_string(i) + "\n");
    root.file(cpu(i, "cpuidle/state0/name"), "POLL\n");
    root.file(cpu(i, "cpuidle/state0/latency"), "0\n");
    root.file(cpu(i, "cpuidle/state0/disable"), "0\n");
    root.file(cpu(i, "cpuidle/state1/name"), "C1\n");
    root.file(cpu(i, "cpuidle/state1/latency"), "2\n");
    root.file(cpu(i, "cpuidle/state1/disable"), "0\n");
    root.file(cpu(i, "cpuidle/state2/name"), "C6\n");
    root.file(cpu(i, "cpuidle/state2/latency"), "133\n");
    root.file(cpu(i, "cpuidle/state2/disable"), "1\n");
    root.file("/sys/devices/system/machinecheck/machinecheck" + std::to_string(i) + "/check_interval", "0\n");
  }
}

inline SettingObservation observed(const FakeMachine& root, std::string_view name) {
  for (const Setting& setting : settings())
    if (setting.name == name) return observe(setting, root.view({2, 3}));
  ADD_FAILURE() << "no setting " << name;
  return {};
}

}  // namespace maxlat::core
