// SPDX-License-Identifier: MIT
//
// Whether the measured CPUs are left alone: by the scheduler, by the tick, by RCU, by unbound work.
#include <fmt/format.h>

#include <maxlat/core/machine/setting_readers.hpp>

namespace maxlat::core {
namespace {

// ok when all measured CPUs are in the list.
Reading covers_measured(const MachineView& machine, const CpuList& cpus) {
  const CpuList left_out = difference(machine.measured(), cpus);
  if (left_out.empty()) return ok(cpus_text(cpus));
  return bad(cpus.empty() ? "none" : fmt::format("{}; not {}", cpus_text(cpus), cpus_text(left_out)));
}

Reading read_isolated(const MachineView& machine) {
  auto isolated = read_cpus(machine, "/sys/devices/system/cpu/isolated");
  if (!isolated) return unknown();
  // cgroup v2 partitions isolate without isolcpus=; kernels from 6.7 on list them all. Before, the topmost tell.
  if (const auto partitions = read_cpus(machine, "/sys/fs/cgroup/cpuset.cpus.isolated")) {
    isolated->insert(isolated->end(), partitions->begin(), partitions->end());
  } else {
    for (const std::string& group : machine.list("/sys/fs/cgroup")) {
      const std::string path = "/sys/fs/cgroup/" + group;
      if (machine.read(path + "/cpuset.cpus.partition").value_or("") != "isolated") continue;
      const CpuList cpus = read_cpus(machine, path + "/cpuset.cpus.effective").value_or(CpuList{});
      isolated->insert(isolated->end(), cpus.begin(), cpus.end());
    }
  }
  return covers_measured(machine, sorted_unique(*std::move(isolated)));
}

Reading read_nohz_full(const MachineView& machine) {
  if (const auto cpus = read_cpus(machine, "/sys/devices/system/cpu/nohz_full")) return covers_measured(machine, *cpus);
  // A kernel without CONFIG_NO_HZ_FULL has no such file.
  const auto command_line = kernel_command_line(machine);
  if (!command_line) return unknown();
  return command_line->value("nohz_full") ? unknown("asked for, but the kernel does not say") : bad("none");
}

// The kernel tells nowhere which CPUs these are, so the command line has to do. nohz_full= includes it.
Reading read_rcu_nocbs(const MachineView& machine) {
  const auto command_line = kernel_command_line(machine);
  if (!command_line) return unknown();
  CpuList cpus;
  for (const char* parameter : {"rcu_nocbs", "nohz_full"}) {
    const auto value = command_line->value(parameter);
    if (!value) continue;
    if (value->empty()) return ok("all");  // rcu_nocbs without a list
    const auto list = parse_cpu_list(*value);
    if (!list) return unknown(fmt::format("{}={}", parameter, *value));
    cpus.insert(cpus.end(), list->begin(), list->end());
  }
  return covers_measured(machine, sorted_unique(std::move(cpus)));
}

Reading read_workqueues(const MachineView& machine) {
  const auto cpus = read_cpu_mask(machine, "/sys/devices/virtual/workqueue/cpumask");
  if (!cpus) return unknown();
  return judged(intersection(*cpus, machine.measured()).empty(), cpus_text(*cpus));
}

}  // namespace

static std::vector<Setting> isolation_settings() {
  return {
      {.name = "isolated CPUs",
       .group = "isolation",
       .expected = "every measured CPU",
       .why = "on a CPU that is not isolated the scheduler places and balances other tasks at will",
       .boot = "isolcpus=managed_irq,domain,{cpus}",
       .fix = "or, at once, an isolated cpuset partition",
       .needs_reboot = true,
       .read = read_isolated},
      {.name = "nohz_full",
       .group = "isolation",
       .expected = "every measured CPU",
       .why = "without it the tick interrupts a running thread 100 to 1000 times a second, 1 to 10 us each time",
       .boot = "nohz_full={cpus}",
       .fix = "the kernel needs CONFIG_NO_HZ_FULL",
       .needs_reboot = true,
       .read = read_nohz_full},
      {.name = "rcu_nocbs",
       .group = "isolation",
       .expected = "every measured CPU",
       .why =
           "RCU callbacks run in batches after a grace period, on the CPU that queued them unless they are offloaded",
       .boot = "rcu_nocbs={cpus}",
       .fix = "the kernel needs CONFIG_RCU_NOCB_CPU",
       .needs_reboot = true,
       .read = read_rcu_nocbs},
      {.name = "workqueues",
       .group = "isolation",
       .expected = "no measured CPU",
       .why = "unbound kernel work (writeback, crypto, file systems) may run on any CPU of this mask",
       .set = {{"/sys/devices/virtual/workqueue/cpumask", "{others:mask}"}},
       .read = read_workqueues},
  };
}

extern const SettingGroup kIsolationSettings{isolation_settings};

}  // namespace maxlat::core
