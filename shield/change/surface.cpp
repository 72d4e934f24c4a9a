// SPDX-License-Identifier: MIT
#include "surface.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/process.hpp>

namespace maxlat::shield {

core::Status Surface::write(const std::string& path, const std::string& value) {
  const base::Descriptor file(::open(path_of(path).c_str(), O_WRONLY | O_CLOEXEC | O_TRUNC));
  if (!file) return core::system_error("cannot write " + path, errno);
  const std::string line = value + "\n";
  if (::write(file.number(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    return core::system_error("cannot write " + path, errno);
  return {};
}

core::Status Surface::make_folder(const std::string& path) {
  if (::mkdir(path_of(path).c_str(), 0755) != 0) return core::system_error("cannot make " + path, errno);
  return {};
}

int Surface::remove_folder(const std::string& path) {
  return ::rmdir(path_of(path).c_str()) == 0 || errno == ENOENT ? 0 : errno;
}

core::Status Surface::mount(const std::string& kind, const std::string& place) {
  if (::mount("none", path_of(place).c_str(), kind.c_str(), MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    return core::system_error(fmt::format("cannot mount {} at {}", kind, place), errno);
  return {};
}

core::Status Surface::unmount(const std::string& place) {
  if (::umount2(path_of(place).c_str(), UMOUNT_NOFOLLOW) != 0)
    return core::system_error("cannot unmount " + place, errno);
  return {};
}

bool Surface::remove_file(const std::string& path) {
  return ::unlink(path_of(path).c_str()) == 0;
}

bool Surface::has_systemd() const {
  return ::access(path_of("/run/systemd/system").c_str(), F_OK) == 0;  // sd_booted(3)
}

core::Result<std::string> Surface::systemctl(std::vector<std::string> arguments) const {
  // systemctl itself waits so much longer for a reload, too: of a box's every unit, after all its generators.
  const std::chrono::seconds limit(arguments.front() == "daemon-reload" ? 180 : 20);
  arguments.insert(arguments.begin(), "systemctl");
  core::ProcessSpec spec;
  spec.argv = std::move(arguments);
  spec.standard_output = core::ProcessSpec::Output::capture;
  core::Result<core::ProcessEnd> end = core::run_process(spec, limit);
  if (!end) return end.error();
  if (end->exit_status != 0) return core::error_of_child("systemctl", *end);
  return std::move(end->standard_output);
}

core::Status Surface::set_affinity(pid_t task, const core::CpuList& cpus) {
  if (cpus.empty()) return core::Error{fmt::format("no CPU for thread {}", task)};
  if (!core::AffinityMask(cpus).apply(task))
    return core::system_error(fmt::format("cannot move thread {} to CPU {}", task, core::to_string(cpus)), errno);
  return {};
}

core::Status Surface::signal(pid_t process, int number) {
  if (::kill(process, number) != 0)
    return core::system_error(
        fmt::format("cannot send process {} {}", process, number == SIGSTOP ? "SIGSTOP" : "SIGCONT"), errno);
  return {};
}

std::string Surface::boot_id() const {
  return view_.read("/proc/sys/kernel/random/boot_id").value_or("");
}

core::CpuList Surface::online() const {
  const auto text = view_.read("/sys/devices/system/cpu/online");
  const auto cpus = core::parse_cpu_list(text.value_or(""));
  return cpus ? *cpus : core::CpuList{};
}

}  // namespace maxlat::shield
