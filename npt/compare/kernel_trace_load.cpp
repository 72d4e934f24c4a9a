// SPDX-License-Identifier: MIT
#include "kernel_trace_load.hpp"

#include <utility>

namespace maxlat::npt {
namespace {

constexpr const char* kGroups[] = {"syscalls",    "raw_syscalls", "sched",     "irq",
                                   "irq_vectors", "timer",        "workqueue", "block"};
constexpr std::uint64_t kBuffer_bytes = 4u << 20;  // for each CPU: larger than its caches' share

}  // namespace

core::Status KernelTraceLoad::start() {
  auto folder = ArmFolder::make();
  if (!folder) return folder.error();
  folder_.emplace(std::move(*folder));
  if (core::Status status = instance_.find(*folder_); !status) return status;
  if (core::Status status = instance_.make(*folder_, kBuffer_bytes); !status) return status;
  if (core::Status status = instance_.keep_the_newest(); !status) return status;
  for (const char* group : kGroups) {
    if (!instance_.enable(group)) continue;  // not in this kernel
    if (!groups_.empty()) groups_ += ' ';
    groups_ += group;
  }
  if (groups_.empty()) return core::Error{"this kernel has none of the events to trace", "", core::Exit::cannot_run};
  return {};
}

}  // namespace maxlat::npt
