// SPDX-License-Identifier: MIT
//
// The two ways of Linux to sleep until a time: the thread's own, and the one of event loops.
#pragma once

#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <maxlat/base/moment.hpp>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/result.hpp>

namespace maxlat::scheduling {

enum class TimerKind { nanosleep, timerfd };

inline const char* to_string(TimerKind kind) {
  return kind == TimerKind::nanosleep ? "clock_nanosleep" : "timerfd";
}

inline timespec timespec_of(uint64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

struct NanosleepTimer {
  void wait_until(uint64_t ns) const {
    const timespec until = timespec_of(ns);
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
  }
  uint64_t now() const { return base::monotonic_ns(); }
};

// Set anew for each wake-up, as a program does whose next time depends on what it has done.
class TimerfdTimer {
 public:
  static core::Result<TimerfdTimer> open() {
    TimerfdTimer timer;
    timer.file_ = base::Descriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
    if (!timer.file_) return core::system_error("cannot make a timerfd", errno);
    return timer;
  }

  void wait_until(uint64_t ns) const {
    const itimerspec once{{}, timespec_of(ns)};
    ::timerfd_settime(file_.number(), TFD_TIMER_ABSTIME, &once, nullptr);
    for (uint64_t expiries = 0; ::read(file_.number(), &expiries, sizeof expiries) < 0 && errno == EINTR;) {
    }
  }
  uint64_t now() const { return base::monotonic_ns(); }

 private:
  TimerfdTimer() = default;
  base::Descriptor file_;
};

}  // namespace maxlat::scheduling
