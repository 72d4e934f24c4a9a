// SPDX-License-Identifier: MIT
//
// The processor: frequency, idle states, siblings, mitigations, microcode, temperature.
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/machine/setting_readers.hpp>

namespace maxlat::core {
namespace {

// A reading that failed everywhere, with what that means.
Reading explained(Reading reading, std::string_view why) {
  return reading.observed == "unknown" ? unknown(why) : reading;
}

constexpr std::string_view kNoCpufreq = "no cpufreq: left to the firmware or the hypervisor";

Reading read_governor(const MachineView& machine) {
  const Reading reading = over_measured_cpus(
      machine, [&](unsigned cpu) { return machine.read(cpu_path(cpu, "cpufreq/scaling_governor")); },
      [](const std::string& governor) { return governor == "performance"; });
  return explained(reading, kNoCpufreq);
}

// Of the drivers whose hardware chooses the frequency (amd-pstate-epp, intel_pstate); the others have no such file.
constexpr std::string_view kPreference = "energy_performance_preference";

Reading read_energy_preference(const MachineView& machine) {
  const CpuList cpus = machine.measured();
  const auto has_no_such = [&](unsigned cpu) {
    const std::vector<std::string> files = machine.list(cpu_path(cpu, "cpufreq"));
    return !files.empty() && std::find(files.begin(), files.end(), kPreference) == files.end();
  };
  if (!cpus.empty() && std::all_of(cpus.begin(), cpus.end(), has_no_such))
    return info("none: this driver has no preference");
  const Reading reading = over_measured_cpus(
      machine, [&](unsigned cpu) { return machine.read(cpu_path(cpu, fmt::format("cpufreq/{}", kPreference))); },
      [](const std::string& preference) { return preference == "performance"; });
  return explained(reading, kNoCpufreq);
}

// Three drivers have three switches; intel_pstate's is upside down, and some have one per policy, with the whole
// machine's or without.
constexpr const char* kNoTurbo = "/sys/devices/system/cpu/intel_pstate/no_turbo";
constexpr const char* kBoost = "/sys/devices/system/cpu/cpufreq/boost";

std::string boost_of(unsigned cpu) {
  return cpu_path(cpu, "cpufreq/boost");
}

bool have_own_boost(const MachineView& machine) {
  const CpuList cpus = machine.measured();
  return std::any_of(cpus.begin(), cpus.end(), [&](unsigned cpu) { return machine.read(boost_of(cpu)).has_value(); });
}

// While the whole machine's switch is off the kernel takes nothing for a policy's (EINVAL), not even its old value.
std::vector<FileWrite> turbo_off(const MachineView& machine) {
  if (machine.read(kNoTurbo)) return {{kNoTurbo, "1"}};
  std::vector<FileWrite> writes;
  for (const unsigned cpu : machine.measured())
    if (machine.read(boost_of(cpu))) writes.push_back({boost_of(cpu), "0"});
  if (writes.empty() && machine.read(kBoost)) writes.push_back({kBoost, "0"});
  return writes;
}

Reading read_turbo(const MachineView& machine) {
  if (const auto no_turbo = read_number(machine, kNoTurbo))
    return judged(*no_turbo == 1, *no_turbo == 1 ? "off" : "on");
  if (const auto boost = read_number(machine, kBoost); boost && (*boost == 0 || !have_own_boost(machine)))
    return judged(*boost == 0, *boost == 0 ? "off" : "on");
  const Reading reading = over_measured_cpus(
      machine,
      [&](unsigned cpu) -> std::optional<std::string> {
        const auto boost = read_number(machine, boost_of(cpu));
        if (!boost) return std::nullopt;
        return *boost == 0 ? "off" : "on";
      },
      [](const std::string& boost) { return boost == "off"; });
  return explained(reading, kNoCpufreq);
}

struct IdleState {
  std::string name;
  long long exit_latency_us = 0;
};

// The enabled state with the longest way back; nothing when the states cannot be read.
std::optional<IdleState> deepest_idle_state(const MachineView& machine, unsigned cpu) {
  std::optional<IdleState> deepest;
  const std::string directory = cpu_path(cpu, "cpuidle");
  for (const std::string& state : machine.list(directory)) {
    if (!state.starts_with("state")) continue;
    if (!deepest) deepest = IdleState{"none", 0};  // in case all are disabled
    const std::string path = directory + "/" + state;
    const auto latency = read_number(machine, path + "/latency");
    const auto disabled = read_number(machine, path + "/disable");
    if (!latency || !disabled) return std::nullopt;
    if (*disabled == 0 && *latency >= deepest->exit_latency_us)
      deepest = IdleState{machine.read(path + "/name").value_or(state), *latency};
  }
  return deepest;
}

constexpr long long kShallowExitUs = 2;  // C1 of the processors of the last ten years

Reading read_idle_states(const MachineView& machine) {
  long long deepest_us = 0;
  auto reading = over_measured_cpus(
      machine,
      [&](unsigned cpu) -> std::optional<std::string> {
        const auto state = deepest_idle_state(machine, cpu);
        if (!state) return std::nullopt;
        deepest_us = std::max(deepest_us, state->exit_latency_us);
        return fmt::format("{}, {} us", state->name, state->exit_latency_us);
      },
      [](const std::string&) { return true; });
  if (reading.verdict == SettingObservation::Verdict::ok && deepest_us > kShallowExitUs) return bad(reading.observed);
  return reading;
}

std::vector<FileWrite> idle_states_off(const MachineView& machine) {
  std::vector<FileWrite> writes;
  for (const unsigned cpu : machine.measured())
    for (const std::string& state : machine.list(cpu_path(cpu, "cpuidle"))) {
      const std::string path = cpu_path(cpu, "cpuidle/" + state);
      if (read_number(machine, path + "/latency").value_or(0) > kShallowExitUs)
        writes.push_back({path + "/disable", "1"});
    }
  return writes;
}

// The latency that all holders of /dev/cpu_dma_latency together allow. Binary: a 32-bit number of microseconds.
Reading read_dma_latency(const MachineView& machine) {
  const auto bytes = machine.read_bytes("/dev/cpu_dma_latency");
  if (!bytes || bytes->size() < sizeof(int32_t)) return unknown();
  int32_t microseconds = 0;
  std::copy_n(bytes->data(), sizeof microseconds, reinterpret_cast<char*>(&microseconds));
  constexpr int32_t kNobodyAsked = 2'000'000'000;
  return info(microseconds >= kNobodyAsked ? "no limit" : fmt::format("{} us", microseconds));
}

Reading read_siblings(const MachineView& machine) {
  return over_measured_cpus(
      machine,
      [&](unsigned cpu) -> std::optional<std::string> {
        const auto siblings = read_cpus(machine, cpu_path(cpu, "topology/thread_siblings_list"));
        if (!siblings || siblings->empty()) return std::nullopt;
        const CpuList others = difference(*siblings, {cpu});
        return others.empty() ? std::string("none") : "shares its core with " + cpus_text(others);
      },
      [](const std::string& siblings) { return siblings == "none"; });
}

// Where both threads of a core are measured: which of the two is to go is for a person to say. Not one that is to keep
// house, nor the first CPU, which hardly any kernel lets go.
std::vector<FileWrite> siblings_off(const MachineView& machine) {
  std::vector<FileWrite> writes;
  for (const unsigned cpu : difference(difference(siblings_of(machine), machine.other_cpus), {0}))
    writes.push_back({cpu_path(cpu, "online"), "0"});
  return writes;
}

Reading read_mitigations(const MachineView& machine) {
  const std::string directory = "/sys/devices/system/cpu/vulnerabilities";
  std::vector<std::string> vulnerable;
  size_t mitigated = 0;
  const auto names = machine.list(directory);
  for (const std::string& name : names) {
    const std::string state = machine.read(directory + "/" + name).value_or("");
    if (state.starts_with("Vulnerable")) vulnerable.push_back(name);
    if (state.starts_with("Mitigation")) ++mitigated;
  }
  if (names.empty()) return unknown();
  return info(
      fmt::format("{} in force; vulnerable: {}", mitigated, vulnerable.empty() ? "none" : joined(vulnerable, 3)));
}

// Equal on all CPUs, not only on the measured ones: one update reaches all, or the firmware is at fault.
Reading read_microcode(const MachineView& machine) {
  std::vector<std::string> versions;
  for (const auto& [cpu, fields] : read_cpuinfo(machine)) {
    const auto version = fields.find("microcode");
    if (version != fields.end() && std::find(versions.begin(), versions.end(), version->second) == versions.end())
      versions.push_back(version->second);
  }
  if (versions.empty()) return unknown("this processor reports none");
  return judged(versions.size() == 1, joined(versions));
}

constexpr double kHotCelsius = 85;

// Package and core sensors: thermal zones of the processor, and hwmon's coretemp, k10temp and zenpower.
std::optional<double> hottest_sensor(const MachineView& machine) {
  std::optional<double> hottest;
  const auto take = [&](const std::optional<long long>& millidegrees) {
    if (millidegrees) hottest = std::max(hottest.value_or(-273.15), static_cast<double>(*millidegrees) / 1000);
  };
  for (const std::string& zone : machine.list("/sys/class/thermal")) {
    const std::string path = "/sys/class/thermal/" + zone;
    const std::string type = machine.read(path + "/type").value_or("");
    if (type == "x86_pkg_temp" || type.find("cpu") != std::string::npos || type.find("soc") != std::string::npos)
      take(read_number(machine, path + "/temp"));
  }
  for (const std::string& chip : machine.list("/sys/class/hwmon")) {
    const std::string path = "/sys/class/hwmon/" + chip;
    const std::string name = machine.read(path + "/name").value_or("");
    if (name != "coretemp" && name != "k10temp" && name != "zenpower") continue;
    for (const std::string& file : machine.list(path))
      if (file.starts_with("temp") && file.ends_with("_input")) take(read_number(machine, path + "/" + file));
  }
  return hottest;
}

Reading read_temperature(const MachineView& machine) {
  long long throttled = 0;
  for (const unsigned cpu : machine.measured())
    throttled += read_number(machine, cpu_path(cpu, "thermal_throttle/core_throttle_count")).value_or(0) +
                 read_number(machine, cpu_path(cpu, "thermal_throttle/package_throttle_count")).value_or(0);
  const auto celsius = hottest_sensor(machine);
  if (throttled > 0) {
    const std::string count = fmt::format("throttled {} times since boot", throttled);
    return bad(celsius ? fmt::format("{:.0f} C, {}", *celsius, count) : count);
  }
  return celsius ? judged(*celsius < kHotCelsius, fmt::format("{:.0f} C", *celsius)) : unknown("no sensor");
}

Reading read_machine_check_polling(const MachineView& machine) {
  const Reading reading = over_measured_cpus(
      machine,
      [&](unsigned cpu) -> std::optional<std::string> {
        const std::string path = fmt::format("/sys/devices/system/machinecheck/machinecheck{}/", cpu);
        const auto seconds = machine.read(path + "check_interval");
        if (!seconds) return std::nullopt;
        if (machine.read(path + "ignore_ce").value_or("0") == "1" || *seconds == "0") return "off";
        return fmt::format("every {} s", *seconds);
      },
      [](const std::string& polling) { return polling == "off"; });
  return explained(reading, "no machine check banks here");
}

}  // namespace

static std::vector<Setting> cpu_settings() {
  return {
      // Before the governor, and so undone behind it: `performance` there makes it `performance`, which amd-pstate-epp
      // leaves when the governor goes back, and no driver takes another value before (EBUSY).
      {.name = "energy preference",
       .group = "cpu",
       .expected = "performance",
       .why = "with another preference the hardware itself lowers the clock of a core that does little, and the next "
              "work there begins slowly",
       .set = {{"/sys/devices/system/cpu/cpu{cpu}/cpufreq/energy_performance_preference", "performance"}},
       .fix = "before the governor: while that is performance, no other preference can be set",
       .elsewhere = "nothing is to be done where the driver has no preference",
       .read = read_energy_preference},
      {.name = "governor",
       .group = "cpu",
       .expected = "performance",
       .why =
           "a governor that follows the load changes the clock frequency in the middle of a deadline; a change stops "
           "the core for tens of microseconds, and the slow clock makes everything after it late",
       .set = {{"/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor", "performance"}},
       .fix = "a power daemon may write it back, so look again",
       .elsewhere = "set the clock to its maximum in the firmware, or on the host of this virtual machine",
       .read = read_governor},
      {.name = "turbo",
       .group = "cpu",
       .expected = "off",
       .why = "the boost frequency of a core depends on temperature and on what the other cores do, so the same code "
              "takes different times",
       .set_here = turbo_off,
       .where = "`1` in `/sys/devices/system/cpu/intel_pstate/no_turbo`, or `0` in "
                "`/sys/devices/system/cpu/cpu{cpu}/cpufreq/boost`, or, where there is neither, `0` in "
                "`/sys/devices/system/cpu/cpufreq/boost`; the first and the last are the whole machine's",
       .elsewhere = "switch it off in the firmware, or on the host of this virtual machine",
       .read = read_turbo},
      {.name = "idle states",
       .group = "cpu",
       .expected = "back within 2 us",
       .why =
           "a CPU in a deep idle state needs its exit latency, up to hundreds of microseconds, before it can take an "
           "interrupt; maxlat run, cyclic and cyclictest hold the states off while they measure, your application must "
           "do so too",
       .set_here = idle_states_off,
       .where = "`1` in `/sys/devices/system/cpu/cpu{cpu}/cpuidle/stateNUMBER/disable` of each that takes longer",
       .fix = "or hold /dev/cpu_dma_latency at 0 in the application",
       .elsewhere = "hold /dev/cpu_dma_latency at 0 in the application",
       .read = read_idle_states},
      {.name = "idle latency limit",
       .group = "cpu",
       .expected = "",
       .why = "what the holders of /dev/cpu_dma_latency allow now; it holds only while they run",
       .fix = "",
       .read = read_dma_latency},
      {.name = "SMT siblings",
       .group = "cpu",
       .expected = "none",
       .why =
           "two hardware threads of a core share its execution units and caches: work on one slows the other by half "
           "or more, at any time, and no scheduler can prevent it",
       .set_here = siblings_off,
       .where = "`0` in `/sys/devices/system/cpu/cpuSIBLING/online`, or `maxlat shield on --smt`",
       .fix = "or, for the whole machine, echo off > /sys/devices/system/cpu/smt/control",
       .elsewhere = "measure one thread of each core and take the other offline (maxlat shield on --smt), or, for the "
                    "whole machine, "
                    "echo off > /sys/devices/system/cpu/smt/control",
       .only_when_asked = true,
       .read = read_siblings},
      {.name = "mitigations",
       .group = "cpu",
       .expected = "",
       .why =
           "mitigations lengthen every entry into the kernel by up to a microsecond; whether to live without them is a "
           "question of who else runs on the machine, so there is no right value",
       .boot = "mitigations=off",
       .fix = "only where the machine is closed",
       .needs_reboot = true,
       .only_when_asked = true,
       .read = read_mitigations},
      {.name = "microcode",
       .group = "cpu",
       .expected = "the same on every CPU",
       .why = "microcode changes latencies; figures are only comparable between machines with the same one",
       .fix = "apt install intel-microcode or amd64-microcode, or update the firmware",
       .needs_reboot = true,
       .read = read_microcode},
      {.name = "temperature",
       .group = "cpu",
       .expected = "below 85 C, never throttled",
       .why =
           "a hot processor stops its clock for parts of a millisecond (thermal throttling), which looks like a stall "
           "from nowhere",
       .fix = "clean the fans, improve the cooling or lower the frequency, and start the count again by a reboot",
       .read = read_temperature},
      {.name = "machine check polling",
       .group = "cpu",
       .expected = "off",
       .why = "a timer reads the machine check registers of every CPU, isolated or not; reading them can cause an SMI",
       .set = {{"/sys/devices/system/machinecheck/machinecheck{cpu}/check_interval", "0"}},
       .fix = "the interval is the whole machine's, whichever CPU's file is written, and corrected errors go unseen",
       .elsewhere = "nothing is to be done on a machine without machine check banks",
       .read = read_machine_check_polling},
  };
}

extern const SettingGroup kCpuSettings{cpu_settings};

}  // namespace maxlat::core
