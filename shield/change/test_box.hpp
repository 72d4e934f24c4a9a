// SPDX-License-Identifier: MIT
//
// For tests: a box on paper of four CPUs, badly set for real time, with a cgroup hierarchy and some threads.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/test/fake_root.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace maxlat::shield {

enum class Hierarchy { none, v2, v2_of_systemd, v1 };

class FakeBox : public test::FakeRoot {
 public:
  static constexpr const char* kCgroups = "/sys/fs/cgroup";

  explicit FakeBox(Hierarchy hierarchy) : hierarchy_(hierarchy) {
    file("/proc/sys/kernel/random/boot_id", "boot-one\n");
    file("/sys/devices/system/cpu/online", "0-3\n");
    file("/sys/devices/system/cpu/possible", "0-3\n");
    file("/proc/sys/kernel/nmi_watchdog", "1\n");
    file("/proc/sys/kernel/sched_rt_period_us", "1000000\n");
    file("/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
    file("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    file("/sys/devices/virtual/workqueue/cpumask", "f\n");
    file("/proc/irq/24/smp_affinity_list", "0-3\n");
    file("/proc/irq/25/smp_affinity_list", "1\n");
    file("/proc/irq/default_smp_affinity", "f\n");
    for (int cpu = 0; cpu < 4; ++cpu)
      file(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", cpu), "powersave\n");
    make_hierarchy(hierarchy);
    thread(1, 1, "init", "0-3", 0, 0);
    thread(20, 20, "migration/2", "2", kOfTheKernel | kBound, 0);
    thread(30, 30, "kswapd0", "0-3", kOfTheKernel, 0);
    thread(40, 40, "daemon", "0-3", 0, 1);
    thread(40, 41, "daemon-worker", "1-2", 0, 1);
    thread(50, 50, "pinned", "0", 0, 1);
  }

  // Flags are the kernel's PF_ flags.
  static constexpr unsigned kOfTheKernel = 0x00200000, kBound = 0x04000000;
  void thread(int pid, int tid, const std::string& comm, const std::string& cpus, unsigned flags, int parent,
              int started = 0) {
    if (started == 0) started = 1000 + tid;
    std::string stat = fmt::format("{} ({}) S {} 0 0 0 -1 {}", tid, comm, parent, flags);
    for (int field = 10; field <= 52; ++field) stat += field == 22 ? fmt::format(" {}", started) : " 0";
    const std::string status = fmt::format(
        "Name:\t{}\nState:\tS (sleeping)\nTgid:\t{}\nPPid:\t{}\nCpus_allowed_list:\t{}\n", comm, pid, parent, cpus);
    for (const std::string& folder :
         {fmt::format("/proc/{}/task/{}", pid, tid), fmt::format("/proc/{}/task/{}", tid, tid)}) {
      file(folder + "/stat", stat + "\n");
      file(folder + "/status", status);
    }
    if (pid == tid) file(fmt::format("/proc/{}/status", pid), status);
    tell_group(pid, tid, "/");
  }
  // As the kernel tells in which group a thread is. Below the mount: "/user.slice".
  void tell_group(int pid, int tid, const std::string& group) {
    if (hierarchy_ == Hierarchy::none) return;
    for (const std::string& folder :
         {fmt::format("/proc/{}/task/{}", pid, tid), fmt::format("/proc/{}/task/{}", tid, tid)})
      file(folder + "/cgroup", (hierarchy_ == Hierarchy::v1 ? "4:cpuset:" : "0::") + group + "\n");
  }
  std::string cpus_of(int pid, int tid) const {
    return field("Cpus_allowed_list:",
                 core::read_text(fmt::format("{}/proc/{}/task/{}/status", path(), pid, tid)).value_or(""));
  }
  static std::string slice(const std::string& unit) {
    return "/run/systemd/system.control/" + unit + ".d/50-AllowedCPUs.conf";
  }
  static std::string configured(const std::string& unit) { return "/etc/systemd/system/" + unit + ".d/cpus.conf"; }
  std::string text(const std::string& file) const { return core::read_text(path() + file).value_or("(none)"); }

  // Every file with its content: the state of the box. The lock of its shield is no part of it.
  using State = std::map<std::string, std::string>;
  State state() const {
    State files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path()))
      if (entry.is_regular_file() && !entry.path().string().starts_with(path() + "/run/maxlat/"))
        files[entry.path().string().substr(path().size())] = core::read_text(entry.path()).value_or("");
    return files;
  }
  // What is no longer as it was, for people: "/proc/irq/24/smp_affinity_list: 0-3, now 0-1".
  std::vector<std::string> changed_since(State before) const {
    std::vector<std::string> changed;
    for (const auto& [file, text] : state()) {
      const auto then = before.find(file);
      if (then == before.end())
        changed.push_back(file + " is new");
      else if (then->second != text)
        changed.push_back(file + ": " + then->second + ", now " + text);
      before.erase(file);
    }
    for (const auto& [file, text] : before) changed.push_back(file + " is gone");
    return changed;
  }

  core::MachineView view(core::CpuList cpus, core::CpuList housekeeping) const {
    core::MachineView view;
    view.root = path();
    view.measured_cpus = std::move(cpus);
    view.other_cpus = std::move(housekeeping);
    return view;
  }

  // The first word behind a field's name, as /proc/PID/status has them.
  static std::string field(const std::string& name, const std::string& text) {
    const size_t at = text.find(name);
    std::istringstream rest(at == std::string::npos ? "" : text.substr(at + name.size()));
    std::string value;
    rest >> value;
    return value;
  }

 private:
  const Hierarchy hierarchy_;

  void make_hierarchy(Hierarchy hierarchy) {
    if (hierarchy == Hierarchy::v2_of_systemd) {
      file("/run/systemd/system/README", "systemd is process 1\n");
      file(slice("user.slice"), "[Slice]\nAllowedCPUs=0-2\n");  // as somebody has set it
      file(configured("system.slice"), "[Slice]\nAllowedCPUs=0-2\n");
    }
    if (hierarchy == Hierarchy::v2 || hierarchy == Hierarchy::v2_of_systemd) {
      file("/proc/self/mountinfo", "30 24 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
      file("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory\n");
      file("/sys/fs/cgroup/cgroup.subtree_control", "memory\n");
      file("/sys/fs/cgroup/cgroup.threads", "1\n40\n41\n");
      file("/sys/fs/cgroup/cpuset.cpus.effective", "0-3\n");
    }
    if (hierarchy == Hierarchy::v1) {
      file("/proc/self/mountinfo", "31 24 0:27 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n");
      for (const auto& [name, value] :
           {std::pair("cpuset.cpus", "0-3\n"), std::pair("cpuset.mems", "0\n"), std::pair("tasks", "1\n40\n41\n"),
            std::pair("cpuset.sched_load_balance", "1\n"), std::pair("cpuset.cpu_exclusive", "1\n")})
        file(std::string("/sys/fs/cgroup/cpuset/") + name, value);
    }
  }
};

}  // namespace maxlat::shield
