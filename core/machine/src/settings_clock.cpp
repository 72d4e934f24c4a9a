// SPDX-License-Identifier: MIT
//
// The clock the kernel uses, and whether the counter that the meters read may be trusted.
#include <fmt/format.h>

#include <maxlat/core/machine/setting_readers.hpp>

namespace maxlat::core {
namespace {

Reading read_clock_source(const MachineView& machine) {
  const std::string directory = "/sys/devices/system/clocksource/clocksource0";
  const auto current = machine.read(directory + "/current_clocksource");
  if (!current) return unknown();
  if (*current == "tsc" || *current == "arch_sys_counter") return ok(*current);
  // The kernel takes an unstable tsc out of this list.
  const auto available = machine.read(directory + "/available_clocksource");
  if (!available || has_word(*available, "tsc") || has_word(*available, "arch_sys_counter")) return bad(*current);
  const bool told = has_word(machine.read("/proc/cmdline").value_or(""), "tsc=unstable");
  return bad(*current + (told ? "; booted with tsc=unstable" : "; the kernel does not trust tsc"));
}

Reading read_counter(const MachineView& machine) {
  const CpuInfo cpuinfo = read_cpuinfo(machine);
  return over_measured_cpus(
      machine,
      [&](unsigned cpu) -> std::optional<std::string> {
        const auto fields = cpuinfo.find(cpu);
        if (fields == cpuinfo.end()) return std::nullopt;
        // The ARM generic timer has a fixed rate by architecture.
        if (fields->second.count("CPU architecture") != 0) return "invariant (generic timer)";
        const auto flags = fields->second.find("flags");
        if (flags == fields->second.end()) return std::nullopt;
        if (!has_word(flags->second, "constant_tsc")) return "its rate follows the frequency";
        return has_word(flags->second, "nonstop_tsc") ? "invariant" : "stops in idle states";
      },
      [](const std::string& counter) { return counter.starts_with("invariant"); });
}

}  // namespace

static std::vector<Setting> clock_settings() {
  return {
      {.name = "clock source",
       .group = "clock",
       .expected = "tsc or arch_sys_counter",
       .why =
           "reading another clock costs a microsecond or more or an exit to the hypervisor, in every timestamp of the "
           "kernel and of the application",
       .boot = "clocksource=tsc tsc=reliable",
       .fix = "only if the counter is invariant",
       .needs_reboot = true,
       .only_when_asked = true,
       .read = read_clock_source},
      {.name = "counter",
       .group = "clock",
       .expected = "invariant",
       .why = "ticks can be converted to time only when the rate of the counter is constant and it never stops",
       .fix = "another processor, or a firmware and hypervisor that let the invariant counter through",
       .read = read_counter},
  };
}

extern const SettingGroup kClockSettings{clock_settings};

}  // namespace maxlat::core
