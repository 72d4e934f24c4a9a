// SPDX-License-Identifier: MIT
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <maxlat/core/sys/stop.hpp>

namespace maxlat::core {
namespace {

std::atomic<bool> requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler stores it");

// Of one key press a terminal sends a SIGINT to the whole process group, and a wrapper hands its own on.
constexpr int64_t kOnePress_ns = 500'000'000;
std::atomic<int64_t> first_sigint_ns{0};  // 0: none yet
static_assert(std::atomic<int64_t>::is_always_lock_free, "a signal handler stores it");

std::atomic<int> held_back{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler reads it");

int64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Async-signal-safe: stores, a write, clock_gettime(), signal(), raise().
void on_signal(int number) {
  const int saved_errno = errno;
  request_stop();
  if (number == SIGINT) {
    int64_t first = 0;
    const int64_t now = monotonic_ns();
    // relaxed: the handler's own, nothing is handed over with it
    const bool is_first = first_sigint_ns.compare_exchange_strong(first, now, std::memory_order_relaxed);
    const bool may_kill = held_back.load(std::memory_order_relaxed) == 0;  // relaxed: a number alone
    if (!is_first && may_kill && now - first >= kOnePress_ns) {            // a person who does not want to wait
      ::signal(SIGINT, SIG_DFL);
      ::raise(SIGINT);
    }
  }
  errno = saved_errno;
}

// Does nothing; unlike SIG_IGN, programs that are started do not inherit it.
void on_broken_pipe(int) {}

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

int poll_until(std::span<pollfd> all, std::chrono::steady_clock::time_point then) {
  const std::chrono::nanoseconds to_go = then - std::chrono::steady_clock::now();
  const std::chrono::nanoseconds left = std::max(to_go, std::chrono::nanoseconds(0));
  const timespec at_most{.tv_sec = left.count() / 1'000'000'000, .tv_nsec = left.count() % 1'000'000'000};
  return ::ppoll(all.data(), all.size(), &at_most, nullptr);
}

bool rest_until(std::chrono::steady_clock::time_point then) {
  while (!requested.load(std::memory_order_relaxed)) {  // relaxed: only the flag itself is looked at
    pollfd stop{.fd = stop_fd(), .events = POLLIN, .revents = 0};
    if (poll_until({&stop, 1}, then) == 0 && std::chrono::steady_clock::now() >= then) return true;
  }
  return false;
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
  struct sigaction before {};
  ::sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);
  action.sa_handler = on_broken_pipe;
  ::sigaction(SIGPIPE, &action, nullptr);
}

namespace {

sigset_t stopping_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, number);
  return set;
}

}  // namespace

// The mask is for who has not called catch_stop_signals(), the number for the handler in another thread.
StopsHeldBack::StopsHeldBack() {
  held_back.fetch_add(1, std::memory_order_relaxed);  // relaxed: as in the handler
  const sigset_t set = stopping_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, &before_);
}

StopsHeldBack::~StopsHeldBack() {
  const sigset_t set = stopping_signals();
  const timespec no_time{};
  while (::sigtimedwait(&set, nullptr, &no_time) > 0) request_stop();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  held_back.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace maxlat::core
