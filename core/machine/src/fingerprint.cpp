// SPDX-License-Identifier: MIT
//
// What identifies the machine and its state, in groups. A group's hash is over the values as shown, so a redacted value
// does not tell two machines apart, and cannot be guessed from the hash either.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <maxlat/core/machine/hash.hpp>
#include <maxlat/core/machine/setting_readers.hpp>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/machine/tasks.hpp>
#include <set>
#include <sstream>

#include "kernel_config.hpp"
#include "redact.hpp"

namespace maxlat::core {
namespace {

// Collects the values of one group. What cannot be read is left out: absent, not "unknown", because on most machines
// most of the files do not exist.
class GroupBuilder {
 public:
  GroupBuilder(const MachineView& machine, std::string name) : machine_(machine) {
    group_.name = std::move(name);
    host_name_ = private_host_name(machine);
  }

  void value(std::string name, std::string_view text) {
    if (!text.empty()) group_.values.emplace_back(std::move(name), redact(text, host_name_));
  }
  // Of a name that was given on this machine, and may have the host's in it. Others are the kernel's or ours: on a host
  // called vm, vm/swappiness is still called so.
  void named_here(const std::string& name, std::string_view text) { value(redact(name, host_name_), text); }
  void file(std::string name, std::string_view path) { value(std::move(name), machine_.read(path).value_or("")); }
  // Shows that there is such a value, not the value.
  void redacted(std::string name, std::string_view path) {
    if (machine_.read(path)) group_.values.emplace_back(std::move(name), kRedacted);
  }

  FingerprintGroup build() {
    std::string text;
    for (const auto& [name, shown] : group_.values) text += fmt::format("{}\n{}\n", name, shown);
    group_.hash = hash_text(text);
    return std::move(group_);
  }

 private:
  const MachineView& machine_;
  FingerprintGroup group_;
  std::string host_name_;
};

FingerprintGroup cpu_group(const MachineView& machine) {
  GroupBuilder group(machine, "cpu");
  const CpuInfo cpuinfo = read_cpuinfo(machine);
  if (!cpuinfo.empty())
    for (const char* field : {"vendor_id", "model name", "cpu family", "model", "stepping", "microcode",
                              "CPU implementer", "CPU architecture", "CPU variant", "CPU part", "CPU revision"}) {
      const auto& fields = cpuinfo.begin()->second;
      if (const auto found = fields.find(field); found != fields.end()) group.value(field, found->second);
    }
  for (const char* list : {"possible", "online", "isolated", "nohz_full"})
    group.file(list, fmt::format("/sys/devices/system/cpu/{}", list));
  group.file("smt", "/sys/devices/system/cpu/smt/control");
  for (const std::string& index : machine.list("/sys/devices/system/cpu/cpu0/cache")) {
    const std::string path = "/sys/devices/system/cpu/cpu0/cache/" + index;
    if (const auto size = machine.read(path + "/size"))
      group.value(fmt::format("L{} {}", machine.read(path + "/level").value_or("?"),
                              machine.read(path + "/type").value_or("?")),
                  *size);
  }
  return group.build();
}

FingerprintGroup kernel_group(const MachineView& machine) {
  GroupBuilder group(machine, "kernel");
  group.file("release", "/proc/sys/kernel/osrelease");
  group.file("version", "/proc/sys/kernel/version");
  group.file("command line", "/proc/cmdline");
  group.file("tainted", "/proc/sys/kernel/tainted");
  group.file("preemption", "/sys/kernel/debug/sched/preempt");
  // Either place, as it is: the compressed one is made once, when the kernel is built.
  const std::string boot_config = "/boot/config-" + machine.read("/proc/sys/kernel/osrelease").value_or("");
  for (const std::string& path : {std::string("/proc/config.gz"), boot_config})
    if (const auto config = machine.read_bytes(path); config && !config->empty()) {
      group.value("config", fmt::format("{} {}", path == boot_config ? "/boot/config" : path, hash_text(*config)));
      break;
    }
  return group.build();
}

FingerprintGroup memory_group(const MachineView& machine) {
  GroupBuilder group(machine, "memory");
  std::istringstream lines(machine.read("/proc/meminfo").value_or(""));
  for (std::string line; std::getline(lines, line);)
    for (const std::string_view field : {"MemTotal:", "SwapTotal:", "HugePages_Total:", "Hugepagesize:"})
      if (line.starts_with(field)) {
        const size_t text = line.find_first_not_of(' ', field.size());
        if (text != std::string::npos) group.value(std::string(field.substr(0, field.size() - 1)), line.substr(text));
      }
  group.file("NUMA nodes", "/sys/devices/system/node/online");
  return group.build();
}

FingerprintGroup firmware_group(const MachineView& machine) {
  GroupBuilder group(machine, "firmware");
  const std::string dmi = "/sys/class/dmi/id/";
  for (const char* field :
       {"sys_vendor", "product_name", "product_version", "board_vendor", "board_name", "board_version", "bios_vendor",
        "bios_version", "bios_date", "bios_release", "ec_firmware_release"})
    group.file(field, dmi + field);
  for (const char* field : {"product_serial", "product_uuid", "board_serial", "chassis_serial"})
    group.redacted(field, dmi + field);
  group.file("device tree model", "/proc/device-tree/model");
  group.redacted("device tree serial", "/proc/device-tree/serial-number");
  group.redacted("host name", "/proc/sys/kernel/hostname");
  for (const std::string& interface : machine.list("/sys/class/net"))
    if (interface != "lo") group.redacted("MAC of " + interface, "/sys/class/net/" + interface + "/address");
  return group.build();
}

FingerprintGroup clock_group(const MachineView& machine) {
  GroupBuilder group(machine, "clock");
  const std::string source = "/sys/devices/system/clocksource/clocksource0/";
  group.file("clock source", source + "current_clocksource");
  group.file("available", source + "available_clocksource");
  std::string properties;
  const CpuInfo cpuinfo = read_cpuinfo(machine);
  if (!cpuinfo.empty())
    if (const auto flags = cpuinfo.begin()->second.find("flags"); flags != cpuinfo.begin()->second.end())
      for (const char* flag :
           {"tsc", "constant_tsc", "nonstop_tsc", "tsc_known_freq", "tsc_adjust", "tsc_reliable", "rdtscp"})
        if (has_word(flags->second, flag)) properties += properties.empty() ? flag : fmt::format(" {}", flag);
  group.value("counter", properties);
  return group.build();
}

FingerprintGroup interrupt_group(const MachineView& machine) {
  GroupBuilder group(machine, "interrupts");
  group.file("default", "/proc/irq/default_smp_affinity");
  std::vector<unsigned long> numbers;
  for (const std::string& irq : machine.list("/proc/irq"))
    if (irq.find_first_not_of("0123456789") == std::string::npos) numbers.push_back(std::stoul(irq));
  std::sort(numbers.begin(), numbers.end());
  for (const unsigned long irq : numbers) {
    const std::string path = fmt::format("/proc/irq/{}/", irq);
    group.value(
        fmt::to_string(irq),
        machine.read(path + "effective_affinity_list").value_or(machine.read(path + "smp_affinity_list").value_or("")));
  }
  return group.build();
}

FingerprintGroup mitigation_group(const MachineView& machine) {
  GroupBuilder group(machine, "mitigations");
  const std::string directory = "/sys/devices/system/cpu/vulnerabilities";
  for (const std::string& name : machine.list(directory)) group.file(name, directory + "/" + name);
  return group.build();
}

FingerprintGroup sysctl_group(const MachineView& machine) {
  GroupBuilder group(machine, "sysctl");
  for (const std::string_view name :
       {"kernel/sched_rt_period_us", "kernel/sched_rt_runtime_us", "kernel/timer_migration", "kernel/nmi_watchdog",
        "kernel/soft_watchdog", "kernel/watchdog_cpumask", "kernel/numa_balancing", "kernel/perf_event_paranoid",
        "vm/stat_interval", "vm/swappiness", "vm/overcommit_memory", "vm/compaction_proactiveness"})
    group.file(std::string(name), fmt::format("/proc/sys/{}", name));
  group.file("transparent huge pages", "/sys/kernel/mm/transparent_hugepage/enabled");
  group.file("same-page merging", "/sys/kernel/mm/ksm/run");
  group.file("workqueue mask", "/sys/devices/virtual/workqueue/cpumask");
  return group.build();
}

// What it is set to: every setting that can be set, on all CPUs, whichever of them are measured. What is only looked at
// (temperature, who is logged in) moves by itself, and tells no state of the machine.
FingerprintGroup setting_group(const MachineView& machine) {
  GroupBuilder group(machine, "settings");
  MachineView whole = machine;
  whole.measured_cpus.clear();
  for (const Setting& setting : settings()) {
    if (setting.set.empty() && setting.set_here == nullptr && setting.boot.empty()) continue;
    const auto [observed, verdict] = setting.read(whole);
    if (verdict != SettingObservation::Verdict::unknown) group.value(std::string(setting.name), observed);
  }
  return group.build();
}

FingerprintGroup config_group(const MachineView& machine) {
  GroupBuilder group(machine, "kernel configuration");
  const auto config = kernel_config(machine);
  if (!config) return group.build();
  const auto options = kernel_options(*config);
  for (const std::string_view option : kernel_options_that_matter()) {
    const auto found = options.find(std::string(option));
    group.value(std::string(option), found == options.end() ? "n" : found->second);
  }
  return group.build();
}

// By name: their order in the file is that of loading. "out of tree" and "unsigned" are in the kernel's own letters.
FingerprintGroup module_group(const MachineView& machine) {
  GroupBuilder group(machine, "modules");
  std::map<std::string, std::string> loaded;
  std::istringstream lines(machine.read("/proc/modules").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const size_t flags = line.rfind('(');
    loaded[line.substr(0, line.find(' '))] = flags == std::string::npos ? "loaded" : "loaded " + line.substr(flags);
  }
  for (const auto& [name, state] : loaded) group.value(name, state);
  return group.build();
}

// The units of systemd that have a process, from the control groups: nothing is asked of systemd.
FingerprintGroup service_group(const MachineView& machine) {
  GroupBuilder group(machine, "services");
  for (const std::string_view hierarchy : {"/sys/fs/cgroup/", "/sys/fs/cgroup/systemd/", "/sys/fs/cgroup/unified/"}) {
    const std::string slice = std::string(hierarchy) + "system.slice";
    const auto units = machine.list(slice);
    for (const std::string& unit : units)
      if (unit.ends_with(".service") && !machine.read(slice + "/" + unit + "/cgroup.procs").value_or("").empty())
        group.named_here(unit, "running");
    if (!units.empty()) break;
  }
  group.file("tuned profile", "/etc/tuned/active_profile");
  return group.build();
}

// Those of one name together: "ksoftirqd/0" and "ksoftirqd/1" are "ksoftirqd/N". The kernel makes and ends workers all
// the time, so what they work on is not in their name.
FingerprintGroup kernel_thread_group(const MachineView& machine) {
  GroupBuilder group(machine, "kernel threads");
  std::map<std::string, std::set<std::string>> threads;
  for (const Task& task : tasks_of(machine)) {
    if (!task.of_the_kernel) continue;
    const size_t slash = task.comm.find('/');
    std::string name = task.comm;
    if (name.starts_with("kworker/"))
      name = "kworker";
    else if (slash != std::string::npos && !name.starts_with("irq/"))
      name = name.substr(0, slash) + "/N";
    threads[name].insert(scheduling_text(task));
  }
  for (const auto& [name, scheduling] : threads) group.named_here(name, fmt::format("{}", fmt::join(scheduling, ", ")));
  return group.build();
}

// Installed packages and their versions, from the package data base: nothing is executed. Of several architectures the
// first.
std::map<std::string, std::string> installed_packages(const MachineView& machine) {
  std::map<std::string, std::string> packages;
  std::istringstream lines(machine.read("/var/lib/dpkg/status").value_or("") + "\n\n");
  std::string name, version;
  bool installed = false;
  const auto take = [](const std::string& line, std::string_view field, std::string& to) {
    if (line.starts_with(field)) to = line.substr(field.size());
  };
  for (std::string line; std::getline(lines, line);) {
    take(line, "Package: ", name);
    take(line, "Version: ", version);
    installed = installed || line == "Status: install ok installed";
    if (!line.empty()) continue;
    if (installed) packages.emplace(name, version);
    name.clear();
    version.clear();
    installed = false;
  }
  return packages;
}

// What measures, loads and draws. Without a data base, that the program is there.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kTools{{{"rt-tests", "/usr/bin/cyclictest"},
                                                                               {"stress-ng", "/usr/bin/stress-ng"},
                                                                               {"gnuplot-nox", "/usr/bin/gnuplot"},
                                                                               {"lttng-tools", "/usr/bin/lttng"},
                                                                               {"babeltrace2", "/usr/bin/babeltrace2"},
                                                                               {"libc6", ""}}};

FingerprintGroup tool_group(const MachineView& machine, const std::map<std::string, std::string>& packages) {
  GroupBuilder group(machine, "tools");
  for (const auto& [package, program] : kTools)
    if (const auto found = packages.find(std::string(package)); found != packages.end())
      group.value(found->first, found->second);
    else if (!program.empty() && machine.read_bytes(program))
      group.value(std::string(package), "present");
  return group.build();
}

// The running kernel's image, microcode and firmware, and what moves interrupts and settings.
bool moves_latencies(const std::string& package, const std::string& running_image) {
  constexpr std::array<std::string_view, 9> kMoveLatencies{
      "amd64-microcode", "intel-microcode", "irqbalance", "raspi-firmware", "rtkit",
      "systemd",         "tuned",           "udev",       "util-linux"};
  return std::find(kMoveLatencies.begin(), kMoveLatencies.end(), package) != kMoveLatencies.end() ||
         package.starts_with("firmware-") || package == running_image || package == running_image + "-unsigned";
}

// Those whose update moves latencies, each by its name; all others as a number and one hash, so that it is seen that
// something was updated, and a result stays small. Two groups, because the others change all the time: a change of the
// microcode must not be among theirs. Empty where there is no data base.
std::array<FingerprintGroup, 2> package_groups(const MachineView& machine,
                                               const std::map<std::string, std::string>& packages) {
  GroupBuilder moving(machine, "packages"), others(machine, "other packages");
  const std::string image = "linux-image-" + machine.read("/proc/sys/kernel/osrelease").value_or("");
  const auto is_a_tool = [](const std::string& name) {
    return std::any_of(kTools.begin(), kTools.end(), [&](const auto& tool) { return tool.first == name; });
  };
  size_t count = 0;
  std::string text;
  for (const auto& [name, version] : packages) {
    if (moves_latencies(name, image)) {
      moving.value(name, version);
    } else if (!is_a_tool(name)) {
      ++count;
      text += fmt::format("{} {}\n", name, version);
    }
  }
  if (count > 0) others.value("installed", fmt::format("{} (hash {})", count, hash_text(text)));
  return {moving.build(), others.build()};
}

}  // namespace

std::vector<FingerprintGroup> fingerprint(const MachineView& machine) {
  const std::map<std::string, std::string> packages = installed_packages(machine);
  auto [moving_packages, other_packages] = package_groups(machine, packages);
  return {cpu_group(machine),           kernel_group(machine),         memory_group(machine),
          firmware_group(machine),      clock_group(machine),          interrupt_group(machine),
          mitigation_group(machine),    sysctl_group(machine),         setting_group(machine),
          config_group(machine),        module_group(machine),         service_group(machine),
          kernel_thread_group(machine), tool_group(machine, packages), std::move(moving_packages),
          std::move(other_packages)};
}

}  // namespace maxlat::core
