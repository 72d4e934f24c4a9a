// SPDX-License-Identifier: MIT
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <maxlat/core/stop.hpp>

namespace maxlat::core {
namespace {

std::atomic<bool> requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler stores it");

// Async-signal-safe: a store, a write, a signal().
void on_signal(int) {
  const int saved_errno = errno;
  request_stop();
  ::signal(SIGINT, SIG_DFL);  // the next one kills: for a person who does not want to wait
  errno = saved_errno;
}

}  // namespace

int stop_fd() {
  // REQUIRES of the handler: the first call is made by catch_stop_signals(), not from within a signal.
  static const int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return fd;
}

const std::atomic<bool>& stop_requested() {
  return requested;
}

void request_stop() {
  requested.store(true, std::memory_order_relaxed);  // relaxed: a flag alone, it publishes nothing
  const uint64_t one = 1;
  // Fails only when it is readable already.
  [[maybe_unused]] const ssize_t written = ::write(stop_fd(), &one, sizeof one);
}

void catch_stop_signals() {
  stop_fd();
  struct sigaction action {};
  action.sa_handler = on_signal;
  // poll() and nanosleep() return EINTR all the same; what must not be torn, a write of results for example, goes on.
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace maxlat::core
