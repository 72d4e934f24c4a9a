// SPDX-License-Identifier: MIT
#include "surface.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/affinity.hpp>

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
  if (::mkdir(path_of(path).c_str(), 0755) != 0 && errno != EEXIST)
    return core::system_error("cannot make " + path, errno);
  return {};
}

int Surface::remove_folder(const std::string& path) {
  return ::rmdir(path_of(path).c_str()) == 0 || errno == ENOENT ? 0 : errno;
}

core::Status Surface::set_affinity(pid_t task, const core::CpuList& cpus) {
  if (cpus.empty()) return core::Error{fmt::format("no CPU for thread {}", task)};
  if (!core::AffinityMask(cpus).apply(task))
    return core::system_error(fmt::format("cannot move thread {} to CPU {}", task, core::to_string(cpus)), errno);
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
