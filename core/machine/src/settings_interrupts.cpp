// SPDX-License-Identifier: MIT
//
// Where device interrupts go.
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/machine/setting_readers.hpp>
#include <maxlat/core/sys/kernel_release.hpp>
#include <optional>
#include <sstream>

namespace maxlat::core {
namespace {

// Below /proc/irq/N there is one directory per handler, named after it; everything else there is a file.
std::string handler_of(const MachineView& machine, unsigned irq) {
  static const std::vector<std::string> kFiles{"affinity_hint", "effective_affinity", "effective_affinity_list",
                                               "node",          "smp_affinity",       "smp_affinity_list",
                                               "spurious"};
  for (const std::string& name : machine.list(fmt::format("/proc/irq/{}", irq)))
    if (std::find(kFiles.begin(), kFiles.end(), name) == kFiles.end()) return fmt::format("{} ({})", irq, name);
  return std::to_string(irq);
}

std::vector<unsigned> irq_numbers(const MachineView& machine) {
  std::vector<unsigned> numbers;
  for (const std::string& name : machine.list("/proc/irq"))
    if (name.find_first_not_of("0123456789") == std::string::npos)
      numbers.push_back(static_cast<unsigned>(std::stoul(name)));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string list_of_irq(unsigned irq) {
  return fmt::format("/proc/irq/{}/smp_affinity_list", irq);
}

// The effective affinity is where the interrupt really goes; the other one is what was asked for.
std::optional<CpuList> cpus_of_irq(const MachineView& machine, unsigned irq) {
  auto cpus = read_cpus(machine, fmt::format("/proc/irq/{}/effective_affinity_list", irq));
  return cpus ? cpus : read_cpus(machine, list_of_irq(irq));
}

Reading read_irq_affinity(const MachineView& machine) {
  const CpuList measured = machine.measured();
  std::vector<std::string> on_measured;
  size_t seen = 0, unreadable = 0;
  for (const unsigned irq : irq_numbers(machine)) {
    ++seen;
    const auto cpus = cpus_of_irq(machine, irq);
    if (!cpus)
      ++unreadable;
    else if (!intersection(*cpus, measured).empty())
      on_measured.push_back(handler_of(machine, irq));
  }
  if (!on_measured.empty()) return bad(fmt::format("{} of {}: {}", on_measured.size(), seen, joined(on_measured, 4)));
  if (seen == 0 || unreadable > 0) return unknown();
  return ok(fmt::format("0 of {}", seen));
}

std::vector<unsigned> irqs_on_measured(const MachineView& machine) {
  std::vector<unsigned> irqs = irq_numbers(machine);
  std::erase_if(irqs, [&](unsigned irq) {
    const auto cpus = cpus_of_irq(machine, irq);
    return !cpus || intersection(*cpus, machine.measured()).empty();
  });
  return irqs;
}

// Those of its own CPUs that are for everything else; all of these where it has none of them.
std::string others_of_irq(const MachineView& machine, unsigned irq) {
  const auto own = read_cpus(machine, list_of_irq(irq));
  const CpuList left = own ? intersection(*own, other_cpus(machine)) : CpuList{};
  return left.empty() ? "{others}" : to_string(left);
}

// One that is elsewhere now, and may come to a measured CPU by its mask, does so when its CPU goes offline, or its
// driver asks for it anew. Some of these the kernel lets nobody move, and does not say so (the timer's).
std::vector<FileWrite> irqs_elsewhere(const MachineView& machine) {
  std::vector<FileWrite> writes;
  const CpuList measured = machine.measured();
  for (const unsigned irq : irq_numbers(machine)) {
    const std::string list = list_of_irq(irq);
    if (!machine.is_writable(list)) continue;
    const bool is_there = !intersection(cpus_of_irq(machine, irq).value_or(CpuList{}), measured).empty();
    const bool may_come = !intersection(read_cpus(machine, list).value_or(CpuList{}), measured).empty();
    if (is_there || may_come) writes.push_back({list, others_of_irq(machine, irq), !is_there});
  }
  return writes;
}

// An interrupt whose driver spreads its queues over the CPUs is managed by the kernel, which lets nobody move it. Since
// 6.10 its file is not writable; before, only the write itself tells (EIO).
std::optional<std::vector<std::string>> managed_irqs(const MachineView& machine) {
  std::vector<std::string> managed;
  for (const unsigned irq : irqs_on_measured(machine))
    if (!machine.is_writable(list_of_irq(irq))) managed.push_back(handler_of(machine, irq));
  const auto linux_is = kernel_release(machine.read("/proc/sys/kernel/osrelease").value_or(""));
  const bool told = linux_is && *linux_is >= KernelRelease{6, 10};
  return managed.empty() && !told ? std::nullopt : std::optional(managed);
}

std::optional<std::string> variable_of(const std::string& environment, const std::string& name) {
  std::istringstream entries(environment);
  for (std::string entry; std::getline(entries, entry, '\0');)
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  return std::nullopt;
}

// irqbalance(1): the list, else the older mask, else the CPUs that the kernel isolates from its tick or at boot. What
// it was told over its socket since is not looked at.
std::optional<CpuList> left_alone_by(const std::string& environment, const MachineView& machine) {
  const auto list = variable_of(environment, "IRQBALANCE_BANNED_CPULIST");
  const auto mask = variable_of(environment, "IRQBALANCE_BANNED_CPUS");
  if (list || mask) {
    const Result<CpuList> cpus = list ? parse_cpu_list(*list) : parse_cpu_mask(*mask);
    return cpus ? std::optional(*cpus) : std::nullopt;
  }
  CpuList cpus = read_cpus(machine, "/sys/devices/system/cpu/isolated").value_or(CpuList{});
  const CpuList tickless = read_cpus(machine, "/sys/devices/system/cpu/nohz_full").value_or(CpuList{});
  cpus.insert(cpus.end(), tickless.begin(), tickless.end());
  return sorted_unique(std::move(cpus));
}

Reading read_irqbalance(const MachineView& machine) {
  const std::vector<Process> processes = processes_of(machine);
  if (processes.empty()) return unknown();
  const auto is_one = [](const Process& process) { return process.comm == "irqbalance"; };
  const auto found = std::find_if(processes.begin(), processes.end(), [&](const Process& process) {
    return is_one(process) && !is_stopped(machine, {.comm = process.comm, .pid = process.pid, .tid = process.pid});
  });
  if (found == processes.end())
    return ok(std::any_of(processes.begin(), processes.end(), is_one) ? "is paused" : "none seen");
  const auto environment = machine.read_bytes("/proc/" + found->pid + "/environ");
  if (!environment) return unknown("it runs; which CPUs it leaves alone can be read by root only");
  const auto cpus = left_alone_by(*environment, machine);
  if (!cpus) return unknown("it runs, with a list of CPUs that is none");
  if (cpus->empty()) return bad("runs, on every CPU");
  return judged(difference(machine.measured(), *cpus).empty(), "runs, and leaves alone " + cpus_text(*cpus));
}

Reading read_default_affinity(const MachineView& machine) {
  const auto cpus = read_cpu_mask(machine, "/proc/irq/default_smp_affinity");
  if (!cpus) return unknown();
  return judged(intersection(*cpus, machine.measured()).empty(), cpus_text(*cpus));
}

}  // namespace

static std::vector<Setting> interrupt_settings() {
  return {
      {.name = "IRQ affinity",
       .group = "interrupts",
       .expected = "none on a measured CPU",
       .why = "an interrupt on a measured CPU stops the thread there for its handler, and its softirqs for longer",
       .set_here = irqs_elsewhere,
       .where = "`{others}` in `/proc/irq/NUMBER/smp_affinity_list`, or those of them that its owner gave it; also of "
                "an interrupt that is elsewhere now, and may come",
       .boot = "irqaffinity={others} isolcpus=managed_irq,{cpus}",
       .immovable = managed_irqs,
       .read = read_irq_affinity},
      {.name = "default IRQ affinity",
       .group = "interrupts",
       .expected = "no measured CPU",
       .why = "the interrupt of a device that appears later starts with this mask",
       .set = {{"/proc/irq/default_smp_affinity", "{others:mask}"}},
       .boot = "irqaffinity={others}",
       .read = read_default_affinity},
      {.name = "irqbalance",
       .group = "interrupts",
       .expected = "leaves measured CPUs alone",
       .why =
           "every ten seconds it may move interrupts, and all of them when a device or a CPU comes, and so undoes what "
           "was set by hand or by a shield",
       .fix = "maxlat shield on pauses it until off; without a shield, systemctl stop irqbalance; to keep it, "
              "echo IRQBALANCE_BANNED_CPULIST={cpus} >> /etc/default/irqbalance && systemctl restart irqbalance",
       .read = read_irqbalance},
  };
}

extern const SettingGroup kInterruptSettings{interrupt_settings};

}  // namespace maxlat::core
