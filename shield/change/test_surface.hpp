// SPDX-License-Identifier: MIT
//
// For tests: what changes the box on paper. It knows what the kernel does to a cgroup's files, and can die before any
// change.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <maxlat/core/sys/text_file.hpp>
#include <set>
#include <sstream>
#include <string>

#include "surface.hpp"
#include "test_box.hpp"

namespace maxlat::shield {

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

  core::Status signal(pid_t process, int number) override {
    change();
    const std::string path = fmt::format("/proc/{0}/task/{0}/status", process);
    std::string status = core::read_file(root_ + path).value_or("");
    const size_t at = status.find("State:\t");
    if (at == std::string::npos)
      return core::Error{fmt::format("cannot send process {} a signal: no such process", process)};
    const std::string state = number == SIGSTOP ? "T (stopped)" : "S (sleeping)";
    status.replace(at + 7, status.find('\n', at) - at - 7, state);
    for (const std::string& file : {path, fmt::format("/proc/{}/status", process)})
      std::ofstream(root_ + file) << status;
    return {};
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
