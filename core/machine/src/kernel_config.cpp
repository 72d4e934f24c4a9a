// SPDX-License-Identifier: MIT
#include "kernel_config.hpp"

#include <fmt/format.h>

#include <sstream>

#include "redact.hpp"

namespace maxlat::core {

// What decides about latency and about what can be measured: preemption, ticks, RCU, timers, isolation, idle and
// frequency, interrupts, debugging that costs, tracing, and what lets a guest lose time.
const std::vector<std::string_view>& kernel_options_that_matter() {
  static const std::vector<std::string_view> options = {"PREEMPT_RT",
                                                        "PREEMPT",
                                                        "PREEMPT_VOLUNTARY",
                                                        "PREEMPT_NONE",
                                                        "PREEMPT_DYNAMIC",
                                                        "PREEMPT_LAZY",
                                                        "HZ",
                                                        "NO_HZ_FULL",
                                                        "NO_HZ_IDLE",
                                                        "HZ_PERIODIC",
                                                        "HIGH_RES_TIMERS",
                                                        "CONTEXT_TRACKING_USER",
                                                        "VIRT_CPU_ACCOUNTING_GEN",
                                                        "IRQ_TIME_ACCOUNTING",
                                                        "CPU_ISOLATION",
                                                        "CPUSETS",
                                                        "CPUSETS_V1",
                                                        "RT_GROUP_SCHED",
                                                        "SCHED_CORE",
                                                        "SCHED_AUTOGROUP",
                                                        "SCHED_SMT",
                                                        "SCHED_MC",
                                                        "UCLAMP_TASK",
                                                        "NUMA_BALANCING",
                                                        "RCU_NOCB_CPU",
                                                        "RCU_BOOST",
                                                        "RCU_EXPERT",
                                                        "TREE_RCU",
                                                        "PREEMPT_RCU",
                                                        "CPU_IDLE",
                                                        "CPU_IDLE_GOV_MENU",
                                                        "CPU_IDLE_GOV_TEO",
                                                        "INTEL_IDLE",
                                                        "CPU_FREQ",
                                                        "CPU_FREQ_DEFAULT_GOV_PERFORMANCE",
                                                        "X86_INTEL_PSTATE",
                                                        "IRQ_FORCED_THREADING",
                                                        "GENERIC_IRQ_MIGRATION",
                                                        "TRANSPARENT_HUGEPAGE",
                                                        "KSM",
                                                        "COMPACTION",
                                                        "SWAP",
                                                        "SLUB_CPU_PARTIAL",
                                                        "SOFTLOCKUP_DETECTOR",
                                                        "HARDLOCKUP_DETECTOR",
                                                        "DETECT_HUNG_TASK",
                                                        "PROVE_LOCKING",
                                                        "DEBUG_PREEMPT",
                                                        "DEBUG_ATOMIC_SLEEP",
                                                        "LOCK_STAT",
                                                        "KASAN",
                                                        "KFENCE",
                                                        "DEBUG_OBJECTS",
                                                        "FTRACE",
                                                        "HWLAT_TRACER",
                                                        "OSNOISE_TRACER",
                                                        "TIMERLAT_TRACER",
                                                        "FPROBE",
                                                        "HYPERVISOR_GUEST",
                                                        "PARAVIRT_TIME_ACCOUNTING"};
  return options;
}

std::optional<std::string> kernel_config(const MachineView& machine) {
  const std::string release = machine.read("/proc/sys/kernel/osrelease").value_or("");
  std::optional<std::string> text;
  if (!machine.unpacked_config.empty()) text = machine.unpacked_config;
  if (!text && !release.empty()) text = machine.read_bytes("/boot/config-" + release);
  if (!text && !release.empty()) text = machine.read_bytes("/lib/modules/" + release + "/config");
  if (!text || text->empty()) return std::nullopt;
  return redact(*text, private_host_name(machine));
}

std::map<std::string, std::string> kernel_options(const std::string& config) {
  std::map<std::string, std::string> values;
  constexpr std::string_view kPrefix = "CONFIG_";
  std::istringstream lines(config);
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    if (!line.starts_with(kPrefix) || equals == std::string::npos) continue;
    values[line.substr(kPrefix.size(), equals - kPrefix.size())] = line.substr(equals + 1);
  }
  return values;
}

}  // namespace maxlat::core
