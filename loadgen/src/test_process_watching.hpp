// SPDX-License-Identifier: MIT
//
// For tests: which processes a load has, and waiting for a condition instead of sleeping.
#pragma once

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <maxlat/base/owned.hpp>
#include <vector>

#include "descendants.hpp"

namespace maxlat::loadgen {

inline bool eventually(const std::function<bool()>& condition, std::chrono::seconds limit = std::chrono::seconds(20)) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < deadline) {
    if (condition()) return true;
    poll(nullptr, 0, 10);
  }
  return condition();
}

inline std::vector<pid_t> descendants_of(pid_t ancestor) {
  std::vector<pid_t> all = children_of(ancestor);
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<pid_t> next = children_of(all[i]);
    all.insert(all.end(), next.begin(), next.end());
  }
  return all;
}

// Tells that a process has ended even if another has got its number by then.
class ProcessHandle {
 public:
  explicit ProcessHandle(pid_t pid) : pidfd_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}
  bool ended(std::chrono::milliseconds wait = std::chrono::milliseconds(0)) const {
    pollfd watched{.fd = pidfd_.number(), .events = POLLIN, .revents = 0};
    return !pidfd_ || poll(&watched, 1, static_cast<int>(wait.count())) == 1;
  }

 private:
  base::Descriptor pidfd_;
};

inline std::vector<ProcessHandle> handles_of(const std::vector<pid_t>& pids) {
  std::vector<ProcessHandle> handles;
  for (const pid_t pid : pids) handles.emplace_back(pid);
  return handles;
}

}  // namespace maxlat::loadgen
