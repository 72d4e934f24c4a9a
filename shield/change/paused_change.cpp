// SPDX-License-Identifier: MIT
#include "paused_change.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace maxlat::shield {
namespace {

// "State:	T (stopped)"
bool is_stopped(const core::Task& task, const Surface& surface) {
  const std::string status =
      surface.view().read(fmt::format("/proc/{}/task/{}/status", task.pid, task.tid)).value_or("");
  const size_t at = status.find("State:");
  const size_t state = at == std::string::npos ? at : status.find_first_not_of(" \t", at + 6);
  return state != std::string::npos && status[state] == 'T';
}

// A signal is sent at once and answered soon: by a process that sleeps, as soon as it has woken.
core::Status send(const Change& change, int signal, bool stopped, Surface& surface) {
  constexpr int kTries = 500;
  for (int tried = 0; tried < kTries; ++tried) {
    const auto task = task_of(change, surface);
    if (!task) return {};
    if (tried > 0 && is_stopped(*task, surface) == stopped) return {};
    if (tried > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (tried == 0)
      if (const core::Status sent = surface.signal(change.task, signal); !sent) return sent;
  }
  return core::Error{fmt::format("{} (process {}) does not {}", change.name, change.task, stopped ? "stop" : "go on")};
}

}  // namespace

Standing paused_standing(const Change& change, const Surface& surface) {
  const auto task = task_of(change, surface);
  if (!task) return Standing::gone;
  return is_stopped(*task, surface) ? Standing::ours : Standing::as_before;
}
core::Status paused_apply(const Change& change, Surface& surface) {
  return send(change, SIGSTOP, true, surface);
}
core::Status paused_undo(const Change& change, Surface& surface) {
  return send(change, SIGCONT, false, surface);
}

}  // namespace maxlat::shield
