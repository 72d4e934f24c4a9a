// SPDX-License-Identifier: MIT
//
// For tests: a box on paper of four CPUs, badly set for real time, with a cgroup hierarchy and some threads. It knows
// what the kernel does to a cgroup's files, and can die before any change.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/test/fake_root.hpp>
#include <set>
#include <sstream>
#include <string>

#include "surface.hpp"

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
    const std::string status =
        fmt::format("Name:\t{}\nTgid:\t{}\nPPid:\t{}\nCpus_allowed_list:\t{}\n", comm, pid, parent, cpus);
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

class FakeSurface : public Surface {
 public:
  FakeSurface(const FakeBox& box, core::MachineView view) : Surface(std::move(view)), root_(box.path()) {}

  mutable int changes = 0;
  int dies_before = -1;           // the change of this number
  std::set<std::string> refused;  // paths that cannot be written
  bool systemd_answers = true;
  bool partition_is_invalid = false;  // the kernel takes the word, and says that it does not hold

  core::Status write(const std::string& path, const std::string& value) override {
    change();
    if (refused.contains(path)) return core::Error{"cannot write " + path + ": input/output error"};
    const std::string name = path.substr(path.rfind('/') + 1);
    if (name == "cgroup.subtree_control") return switch_controller(path, value);
    if (name == "cgroup.threads" || name == "tasks") return move_thread(path, value);
    if (name == "cgroup.procs") return move_process(path, value);
    if (name == "cpuset.cpus.partition" && partition_is_invalid)
      return Surface::write(path, value + " invalid (Cpu list in cpuset.cpus not exclusive)");
    if (name == "cpuset.cpus.partition") return become_partition(path, value);
    if (name == "enabled") return choose(path, value);
    if (name == "online" && path != "/sys/devices/system/cpu/online") return switch_cpu(path, value);
    return Surface::write(path, value);
  }

  core::Status make_folder(const std::string& path) override {
    change();
    if (refused.contains(path)) return core::Error{"cannot make " + path + ": read-only file system"};
    if (!std::filesystem::create_directories(root_ + path)) return core::Error{"cannot make " + path + ": file exists"};
    const bool v2 = std::filesystem::exists(root_ + path + "/../cgroup.controllers");
    for (const char* name : {"cpuset.cpus", "cpuset.mems"}) std::ofstream(root_ + path + "/" + name) << "\n";
    std::ofstream(root_ + path + (v2 ? "/cgroup.threads" : "/tasks")) << "";
    if (!v2) std::ofstream(root_ + path + "/cpuset.sched_load_balance") << "1\n";
    if (!v2) std::ofstream(root_ + path + "/cpuset.cpu_exclusive") << "0\n";
    if (!v2) return {};
    std::ofstream(root_ + path + "/cgroup.type") << "domain\n";
    std::ofstream(root_ + path + "/cpuset.cpus.partition") << "member\n";
    return {};
  }

  int remove_folder(const std::string& path) override {
    change();
    if (zombies > 0) return --zombies, EBUSY;
    for (const char* name : {"/cgroup.threads", "/tasks"})
      if (!view().read(path + name).value_or("").empty()) return EBUSY;
    std::filesystem::remove_all(root_ + path);
    tell_what_is_left();
    return 0;
  }
  int zombies = 0;  // how often a group is still busy, though no thread is in its list

  core::Status mount(const std::string& kind, const std::string& place) override {
    change();
    const std::string mounts = view().read("/proc/self/mountinfo").value_or("");
    std::ofstream(root_ + "/proc/self/mountinfo")
        << mounts << (mounts.empty() ? "" : "\n") << "40 24 0:30 / " << place << " rw - " << kind << " none rw\n";
    return {};
  }
  core::Status unmount(const std::string& place) override {
    change();
    std::istringstream lines(view().read("/proc/self/mountinfo").value_or(""));
    std::string left;
    for (std::string line; std::getline(lines, line);)
      if (line.find(" " + place + " ") == line.npos) left += line + "\n";
    std::ofstream(root_ + "/proc/self/mountinfo") << left;
    return {};
  }

  bool remove_file(const std::string& path) override {
    change();
    return std::filesystem::remove(root_ + path);
  }

  // A property is a file, as with systemctl set-property --runtime; empty, there is one all the same.
  core::Result<std::string> systemctl(std::vector<std::string> arguments) const override {
    if (!systemd_answers) return core::Error{"systemctl: connection timed out"};
    constexpr std::string_view kProperty = "AllowedCPUs=";
    if (arguments.front() == "show") {
      std::string shown;
      for (auto unit = arguments.begin() + 2; unit != arguments.end(); ++unit) {
        const auto set = view().read(FakeBox::slice(*unit));
        const std::string text = set ? *set : view().read(FakeBox::configured(*unit)).value_or("");
        const size_t at = text.find(kProperty);
        std::string cpus = at == text.npos ? "" : text.substr(at + kProperty.size());
        std::replace(cpus.begin(), cpus.end(), ',', ' ');
        shown += fmt::format("{}AllowedCPUs={}\nActiveState={}\n", shown.empty() ? "" : "\n", cpus,
                             *unit == "machine.slice" ? "inactive" : "active");
      }
      return shown;
    }
    change();
    if (arguments.front() != "set-property") return std::string();
    const std::string file = root_ + FakeBox::slice(arguments[2]);
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file) << "[Slice]\n" << arguments[3] << "\n";
    return std::string();
  }

  core::Status set_affinity(pid_t task, const core::CpuList& cpus) override {
    change();
    const core::CpuList may_use = core::intersection(cpus, cpus_of_group(task));
    if (may_use.empty()) return core::Error{fmt::format("cannot move thread {}: invalid argument", task)};
    write_mask(task, may_use);
    return {};
  }

 private:
  void change() const {
    if (changes++ == dies_before) ::_exit(9);
  }

  static constexpr const char* kVersion1 = "/sys/fs/cgroup/cpuset";
  // No mask of a thread goes beyond its cpuset. (In version 2 ours is for the command alone.)
  core::CpuList cpus_of_group(pid_t task) const {
    for (const std::string& name : view().list(kVersion1)) {
      const std::string group = std::string(kVersion1) + "/" + name;
      std::istringstream threads(view().read(group + "/tasks").value_or(""));
      for (pid_t one = 0; threads >> one;)
        if (one == task) return *core::parse_cpu_list(view().read(group + "/cpuset.cpus").value_or(""));
    }
    return all_cpus();
  }
  core::CpuList all_cpus() const {
    return *core::parse_cpu_list(view().read("/sys/devices/system/cpu/possible").value_or(""));
  }

  // The kernel keeps a thread below its process and below its own number.
  void write_mask(pid_t task, const core::CpuList& cpus) const {
    const std::string own = fmt::format("/proc/{0}/task/{0}/status", task);
    const std::string process = FakeBox::field("Tgid:", view().read(own).value_or(""));
    for (const std::string& status : {own, fmt::format("/proc/{}/task/{}/status", process, task)}) {
      const auto text = core::read_file(root_ + status);
      const size_t at = text ? text->find("Cpus_allowed_list:") : std::string::npos;
      if (at == std::string::npos) continue;
      std::ofstream(root_ + status) << text->substr(0, at) << "Cpus_allowed_list:\t" << core::to_string(cpus) << "\n";
    }
  }

  // "/sys/devices/system/cpu/cpu1/online"
  core::Status switch_cpu(const std::string& path, const std::string& value) {
    const std::string number = path.substr(path.find("/cpu/cpu") + 8);
    const core::CpuList one{static_cast<unsigned>(std::stoi(number))};
    const core::CpuList now = value == "0" ? core::difference(online(), one) : core::union_of(online(), one);
    std::ofstream(root_ + "/sys/devices/system/cpu/online") << core::to_string(now) << "\n";
    for (const std::string& irq : view().list("/proc/irq")) {
      const std::string mask = "/proc/irq/" + irq + "/smp_affinity_list";
      if (lost(core::parse_cpu_list(view().read(mask).value_or(""))))
        static_cast<void>(Surface::write(mask, core::to_string(now)));
    }
    for (const core::Task& task : tasks())
      if (!task.bound && lost(core::cpus_of(view(), task)))
        write_mask(static_cast<pid_t>(std::stoi(task.tid)), all_cpus());
    return Surface::write(path, value);
  }
  // Whether no CPU of a mask is online any more: the kernel then gives an interrupt all that are, and a thread all that
  // there are.
  template <class Mask>
  bool lost(const Mask& mask) const {
    return mask && !mask->empty() && core::intersection(*mask, online()).empty();
  }

  // "always [madvise] never"
  core::Status choose(const std::string& path, const std::string& value) {
    std::string words = "always madvise never";
    words.replace(words.find(value), value.size(), "[" + value + "]");
    return Surface::write(path, words);
  }

  core::Status switch_controller(const std::string& path, const std::string& value) {
    std::istringstream words(view().read(path).value_or(""));
    std::string now, word;
    while (words >> word)
      if (word != value.substr(1)) now += word + " ";
    if (value.front() == '+') now += value.substr(1);
    std::ofstream(root_ + path) << (now.ends_with(' ') ? now.substr(0, now.size() - 1) : now) << "\n";
    return {};
  }

  // A thread is in one group: it leaves the one where it was.
  core::Status move_thread(const std::string& path, const std::string& thread) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_ + FakeBox::kCgroups)) {
      const std::string name = entry.path().filename();
      if (name != "cgroup.threads" && name != "tasks") continue;
      std::set<int> threads;
      std::istringstream words(core::read_text(entry.path()).value_or(""));
      for (int number; words >> number;) threads.insert(number);
      threads.erase(std::stoi(thread));
      if (entry.path() == root_ + path) threads.insert(std::stoi(thread));
      std::ofstream file(entry.path());
      for (const int number : threads) file << number << "\n";
    }
    tell_group(thread, path.substr(0, path.rfind('/')));
    // All CPUs of its new group, whatever it had (before Linux 6.2).
    if (path.starts_with(kVersion1))
      write_mask(std::stoi(thread), cpus_of_group(std::stoi(thread)));
    else
      write_mask(std::stoi(thread), cpus_below(path.substr(0, path.rfind('/'))));
    return {};
  }

  core::Status become_partition(const std::string& path, const std::string& value) const {
    std::ofstream(root_ + path) << value << "\n";
    tell_what_is_left();
    return {};
  }
  // To the root, by the partitions below it.
  void tell_what_is_left() const {
    const std::string effective = root_ + FakeBox::kCgroups + "/cpuset.cpus.effective";
    if (std::filesystem::exists(effective))
      std::ofstream(effective) << core::to_string(cpus_below(FakeBox::kCgroups)) << "\n";
  }

  core::Status move_process(const std::string& path, const std::string& thread) {
    const std::string group = path.substr(0, path.rfind('/'));
    const std::string list = group + (path.starts_with(kVersion1) ? "/tasks" : "/cgroup.threads");
    const std::string process =
        FakeBox::field("Tgid:", view().read(fmt::format("/proc/{0}/task/{0}/status", thread)).value_or(""));
    if (process.empty()) return core::Error{"cannot write " + path + ": no such process"};
    for (const std::string& one : view().list("/proc/" + process + "/task"))
      if (view().read(fmt::format("/proc/{}/task/{}/stat", process, one))) static_cast<void>(move_thread(list, one));
    return {};
  }

  void tell_group(const std::string& thread, const std::string& group) const {
    const std::string mount = group.starts_with(kVersion1) ? kVersion1 : FakeBox::kCgroups;
    const std::string own = fmt::format("/proc/{0}/task/{0}", thread);
    const std::string process = FakeBox::field("Tgid:", view().read(own + "/status").value_or(""));
    const std::string text = (group.starts_with(kVersion1) ? "4:cpuset:" : "0::") +
                             (group == mount ? "/" : group.substr(mount.size())) + "\n";
    for (const std::string& folder : {own, fmt::format("/proc/{}/task/{}", process, thread)})
      if (std::filesystem::exists(root_ + folder)) std::ofstream(root_ + folder + "/cgroup") << text;
  }

  // Of version 2: its own, or all that no partition has.
  core::CpuList cpus_below(const std::string& group) const {
    const auto own = core::parse_cpu_list(view().read(group + "/cpuset.cpus").value_or(""));
    if (own && !own->empty()) return *own;
    core::CpuList cpus = all_cpus();
    for (const std::string& name : view().list(FakeBox::kCgroups)) {
      const std::string other = std::string(FakeBox::kCgroups) + "/" + name;
      const auto theirs = core::parse_cpu_list(view().read(other + "/cpuset.cpus").value_or(""));
      if (theirs && view().read(other + "/cpuset.cpus.partition").value_or("member") != "member")
        cpus = core::difference(cpus, *theirs);
    }
    return cpus;
  }

  std::string root_;
};

}  // namespace maxlat::shield
