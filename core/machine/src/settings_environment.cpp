// SPDX-License-Identifier: MIT
//
// What else is there: a hypervisor below, daemons and people beside us.
#include <fmt/format.h>
#include <utmp.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <maxlat/core/machine/setting_readers.hpp>
#include <maxlat/core/machine/tasks.hpp>

namespace maxlat::core {
namespace {

struct Sign {
  std::string_view text;  // in the DMI vendor or product
  std::string_view name;
};
constexpr std::array<Sign, 13> kHypervisors{{
    {"QEMU", "QEMU"},
    {"KVM", "KVM"},
    {"VMware", "VMware"},
    {"VirtualBox", "VirtualBox"},
    {"innotek", "VirtualBox"},
    {"Virtual Machine", "Hyper-V"},
    {"Xen", "Xen"},
    {"HVM domU", "Xen"},
    {"Bochs", "Bochs"},
    {"BHYVE", "bhyve"},
    {"Parallels", "Parallels"},
    {"OpenStack", "OpenStack"},
    {"Apple Virtualization", "Apple"},
}};

// The hypervisor bit of CPUID is the witness on x86; DMI gives the name. Other processors have no such bit, there DMI
// or the device tree has to do, and without either nobody knows.
Reading read_virtualisation(const MachineView& machine) {
  const auto vendor = machine.read("/sys/class/dmi/id/sys_vendor"),
             product = machine.read("/sys/class/dmi/id/product_name");
  const std::string firmware = vendor.value_or("") + " " + product.value_or("");
  std::string name;
  for (const Sign& sign : kHypervisors)
    if (name.empty() && firmware.find(sign.text) != std::string::npos) name = sign.name;

  if (const auto type = machine.read("/sys/hypervisor/type"); type && !type->empty())
    return bad(fmt::format("virtual machine ({})", *type));
  bool saw_flags = false;
  for (const auto& [cpu, fields] : read_cpuinfo(machine)) {
    const auto flags = fields.find("flags");
    saw_flags = saw_flags || flags != fields.end();
    if (flags != fields.end() && has_word(flags->second, "hypervisor"))
      return bad(fmt::format("virtual machine ({})", name.empty() ? "hypervisor not named" : name));
  }
  if (!name.empty()) return bad(fmt::format("virtual machine ({})", name));
  if (machine.read("/proc/device-tree/hypervisor/compatible")) return bad("virtual machine (by the device tree)");
  const auto compatible = machine.read("/proc/device-tree/compatible");
  if (compatible && compatible->find("dummy-virt") != std::string::npos) return bad("virtual machine (QEMU)");
  if (saw_flags || vendor || compatible) return ok("none");
  return unknown();
}

// By the first 15 characters of its name, which is what the kernel keeps. irqbalance has a setting of its own.
struct Disturber {
  std::string_view comm;
  std::string_view does;
};
constexpr std::array<Disturber, 27> kDisturbers{{
    {"tuned", "rewrites settings"},
    {"stalld", "boosts starved threads"},
    {"thermald", "changes frequencies"},
    {"power-profiles-", "rewrites the governor"},
    {"auto-cpufreq", "rewrites the governor"},
    {"tlp", "rewrites the governor"},
    {"fwupd", "can cause SMIs"},
    {"unattended-upgr", "installs packages"},
    {"apt", "installs packages"},
    {"apt-get", "installs packages"},
    {"aptitude", "installs packages"},
    {"dpkg", "installs packages"},
    {"dnf", "installs packages"},
    {"packagekitd", "installs packages"},
    {"snapd", "installs packages"},
    {"updatedb", "reads the whole disk"},
    {"updatedb.plocat", "reads the whole disk"},
    {"fstrim", "trims disks"},
    {"smartd", "polls disks"},
    {"kubelet", "starts containers"},
    {"rngd", "uses CPU time"},
    {"ksmtuned", "merges pages"},
    {"netdata", "polls everything"},
    {"collectd", "polls everything"},
    {"perf", "measures"},
    {"bpftrace", "traces"},
    {"lttng-sessiond", "traces"},
}};

Reading read_disturbers(const MachineView& machine) {
  std::vector<std::string> running;
  const std::vector<Process> processes = processes_of(machine);
  if (processes.empty()) return unknown();
  for (const Process& process : processes)
    for (const Disturber& disturber : kDisturbers) {
      if (process.comm != disturber.comm) continue;
      std::string text = fmt::format("{} ({})", disturber.comm, disturber.does);
      if (std::find(running.begin(), running.end(), text) == running.end()) running.push_back(std::move(text));
    }
  return running.empty() ? ok("none seen") : bad(joined(running));
}

// The priority of npt and cyclictest in a run. A real-time task above it is not seen as a disturbance of the machine:
// the meter waits for it.
constexpr unsigned kMeters = 95;

// The kernel's own migration threads stop a CPU for any reason and stand above every priority: there is no machine
// without them.
Reading read_real_time_tasks(const MachineView& machine) {
  const std::vector<Task> tasks = tasks_of(machine);
  if (tasks.empty()) return unknown();
  const CpuList measured = machine.measured();
  std::vector<std::string> above;
  for (const Task& task : tasks) {
    const bool has_priority = task.priority > 0;  // SCHED_DEADLINE has none, and is above all
    if (!is_real_time(task) || (has_priority && task.priority <= kMeters)) continue;
    if (task.of_the_kernel && task.comm.starts_with("migration/")) continue;
    const auto cpus = cpus_of(machine, task);
    if (cpus && intersection(*cpus, measured).empty()) continue;
    const bool bound = cpus && std::includes(measured.begin(), measured.end(), cpus->begin(), cpus->end());
    above.push_back(fmt::format("{} ({}, {} {})", task.comm, scheduling_text(task), bound ? "bound to" : "may run on",
                                cpus ? cpus_text(*cpus) : "CPUs not known"));
  }
  return above.empty() ? ok("none") : bad(joined(above));
}

struct Sessions {
  size_t text = 0, graphical = 0;
};

std::optional<Sessions> sessions_of_logind(const MachineView& machine) {
  const std::string directory = "/run/systemd/sessions";
  const auto files = machine.list(directory);
  if (files.empty() && machine.list("/run/systemd").empty()) return std::nullopt;
  Sessions sessions;
  for (const std::string& file : files) {
    const auto text = machine.read(directory + "/" + file);
    if (file.ends_with(".ref") || !text) continue;
    if (has_word(*text, "STATE=closing") || has_word(*text, "CLASS=manager") || has_word(*text, "CLASS=manager-early"))
      continue;
    const bool graphical =
        has_word(*text, "TYPE=x11") || has_word(*text, "TYPE=wayland") || has_word(*text, "TYPE=mir");
    ++(graphical ? sessions.graphical : sessions.text);
  }
  return sessions;
}

std::optional<Sessions> sessions_of_utmp(const MachineView& machine) {
  const auto bytes = machine.read_bytes("/run/utmp");
  if (!bytes) return std::nullopt;
  Sessions sessions;
  for (size_t at = 0; at + sizeof(utmp) <= bytes->size(); at += sizeof(utmp)) {
    utmp entry{};
    std::memcpy(&entry, bytes->data() + at, sizeof entry);
    if (entry.ut_type == USER_PROCESS) ++sessions.text;
  }
  return sessions;
}

// One text session is the person who measures.
Reading read_sessions(const MachineView& machine) {
  auto sessions = sessions_of_logind(machine);
  if (!sessions) sessions = sessions_of_utmp(machine);
  if (!sessions) return unknown();
  std::string observed = fmt::format("{}", sessions->text + sessions->graphical);
  if (sessions->graphical > 0) observed += fmt::format(", {} graphical", sessions->graphical);
  return judged(sessions->graphical == 0 && sessions->text <= 1, observed);
}

Reading read_load(const MachineView& machine) {
  const auto text = machine.read("/proc/loadavg");
  if (!text) return unknown();
  return info(text->substr(0, text->find(' ')) + " runnable in the last minute");
}

}  // namespace

static std::vector<Setting> environment_settings() {
  return {
      {.name = "virtualisation",
       .group = "environment",
       .expected = "none",
       .why = "a hypervisor takes the CPU away when it likes and for as long as it likes; what a guest measures is the "
              "host's load",
       .fix = "measure on the bare machine, or read the figures as those of this host on this day",
       .read = read_virtualisation},
      {.name = "disturbers",
       .group = "environment",
       .expected = "none",
       .why = "these programs wake up by themselves, rewrite the settings above or call into the firmware",
       .fix = "systemctl stop each of them for the measurement",
       .read = read_disturbers},
      {.name = "real-time tasks",
       .group = "environment",
       .expected = "none above priority 95",
       .why =
           "a SCHED_FIFO or SCHED_RR task above 95, or any SCHED_DEADLINE task, on a measured CPU runs before npt and "
           "cyclictest: their largest sample is then how long it runs",
       .fix =
           "chrt -f -p PRIORITY TID below 95, or keep it off the measured CPUs with taskset -pc LIST TID, or stop it",
       .read = read_real_time_tasks},
      {.name = "logged-in sessions",
       .group = "environment",
       .expected = "yours at most, not graphical",
       .why = "people start programs, and a desktop draws",
       .fix = "log the others out; systemctl isolate multi-user.target ends the desktop",
       .read = read_sessions},
      {.name = "load average",
       .group = "environment",
       .expected = "",
       .why = "what else ran shortly before; the loads of a measurement come on top",
       .fix = "",
       .read = read_load},
  };
}

extern const SettingGroup kEnvironmentSettings{environment_settings};

}  // namespace maxlat::core
