// SPDX-License-Identifier: MIT
#include <maxlat/core/sys/cpuset_place.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <sstream>

namespace maxlat::core {
namespace {

bool has_word(const std::string& text, const std::string& wanted, char between) {
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, between);)
    if (word == wanted) return true;
  return false;
}

}  // namespace

std::vector<Mount> mounts_of(const std::string& root) {
  std::vector<Mount> mounts;
  std::istringstream lines(read_text(root + "/proc/self/mountinfo").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    Mount mount;
    std::string skipped;
    fields >> skipped >> skipped >> skipped >> skipped >> mount.at;
    while (fields >> skipped && skipped != "-") {
    }
    fields >> mount.type >> skipped >> mount.options;
    if (fields) mounts.push_back(std::move(mount));
  }
  return mounts;
}

std::string CpusetPlace::group() const {
  return mount + "/maxlat-shield";
}

std::string CpusetPlace::cpus_file() const {
  return group() + "/" + prefix + "cpus";
}

std::string CpusetPlace::process_file() const {
  return group() + "/cgroup.procs";
}

std::string CpusetPlace::thread_file() const {
  return group() + (version == Version::two ? "/cgroup.threads" : "/tasks");
}

std::string CpusetPlace::system_group() const {
  return mount + "/maxlat-system";
}

std::string CpusetPlace::outside_file() const {
  return (version == Version::two ? mount : system_group()) + "/cgroup.procs";
}

// "0::/user.slice/session-3.scope" on version 2, "4:cpuset:/maxlat-shield" on version 1.
std::string CpusetPlace::group_in(const std::string& proc_cgroup) const {
  const std::string wanted = version == Version::two ? "" : "cpuset";
  std::istringstream lines(proc_cgroup);
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':'), second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (wanted.empty() ? !controllers.empty() : !has_word(controllers, wanted, ',')) continue;
    const std::string path = line.substr(second + 1);
    return path == "/" ? mount : mount + path;
  }
  return mount;
}

std::optional<CpusetPlace> cpuset_place(const std::string& root) {
  const std::vector<Mount> mounts = mounts_of(root);
  for (const Mount& mount : mounts) {
    if (mount.type != "cgroup2") continue;
    const auto controllers = read_text(root + mount.at + "/cgroup.controllers");
    if (controllers && has_word(*controllers, "cpuset", ' '))
      return CpusetPlace{CpusetPlace::Version::two, mount.at, "cpuset."};
  }
  for (const Mount& mount : mounts) {
    if (mount.type != "cgroup" || !has_word(mount.options, "cpuset", ',')) continue;
    const bool prefixed = read_text(root + mount.at + "/cpuset.cpus").has_value();
    return CpusetPlace{CpusetPlace::Version::one, mount.at, prefixed ? "cpuset." : ""};
  }
  return std::nullopt;
}

}  // namespace maxlat::core
