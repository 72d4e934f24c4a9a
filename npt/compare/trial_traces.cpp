// SPDX-License-Identifier: MIT
#include "trial_traces.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <filesystem>

namespace maxlat::npt {
namespace {

// What can be written there without taking more than half of the memory that nobody uses.
std::uint64_t room_in_memory() {
  struct statvfs files {};
  struct sysinfo machine {};
  if (::statvfs(kMemoryForTraces, &files) != 0 || ::sysinfo(&machine) != 0) return 0;
  return std::min<std::uint64_t>(std::uint64_t{files.f_bavail} * files.f_frsize,
                                 std::uint64_t{machine.freeram} * machine.mem_unit / 2);
}

}  // namespace

TrialTraces::TrialTraces(std::uint64_t bytes) {
  if (room_in_memory() < bytes) {
    where_ = fmt::format("the disk of /tmp: {} has no room for {} MB", kMemoryForTraces, bytes / 1'000'000);
    return;
  }
  auto folder = ArmFolder::make(kMemoryForTraces);
  if (!folder) {
    where_ = "the disk of /tmp: " + folder.error().text;
    return;
  }
  folder_.emplace(std::move(*folder));
  where_ = fmt::format("memory ({})", kMemoryForTraces);
}

TrialTraces::OfOne TrialTraces::next() {
  return OfOne(folder_ ? fmt::format("{}/{}", folder_->path(), ++number_) : std::string());
}

std::optional<std::string> TrialTraces::OfOne::option() const {
  if (folder_.empty()) return std::nullopt;
  return "--trace-dir=" + folder_;
}

TrialTraces::OfOne::~OfOne() {
  std::error_code gone_already;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, gone_already);
}

}  // namespace maxlat::npt
