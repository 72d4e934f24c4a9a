// SPDX-License-Identifier: MIT
#include "paused_change.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace maxlat::shield {
namespace {

// A signal is sent at once and answered soon: by a process that sleeps, as soon as it has woken.
core::Status send(const Change& change, int signal, bool stopped, Surface& surface) {
  constexpr int kTries = 500;
  for (int tried = 0; tried < kTries; ++tried) {
    const auto task = task_of(change, surface);
    if (!task) return {};
    if (tried > 0 && core::is_stopped(surface.view(), *task) == stopped) return {};
    if (tried > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (tried == 0)
      if (const core::Status sent = surface.signal(change.task, signal); !sent) return sent;
  }
  // Who waits for a disk stops when that has answered. Without a line of the journal nobody would let it go on.
  if (stopped) static_cast<void>(surface.signal(change.task, SIGCONT));
  return core::Error{fmt::format("{} (process {}) does not {}", change.name, change.task, stopped ? "stop" : "go on")};
}

}  // namespace

Standing paused_standing(const Change& change, const Surface& surface) {
  const auto task = task_of(change, surface);
  if (!task) return Standing::gone;
  return core::is_stopped(surface.view(), *task) ? Standing::ours : Standing::as_before;
}
core::Status paused_apply(const Change& change, Surface& surface) {
  return send(change, SIGSTOP, true, surface);
}
core::Status paused_undo(const Change& change, Surface& surface) {
  return send(change, SIGCONT, false, surface);
}

}  // namespace maxlat::shield
