// SPDX-License-Identifier: MIT
//
// A thread's turn: it sleeps until another one gives it. Whatever was written before give() is seen after wait().
#pragma once

#include <semaphore.h>
#include <time.h>

#include <chrono>
#include <maxlat/base/moment.hpp>

namespace maxlat::scheduling {

class Turn {
 public:
  Turn() { ::sem_init(&given_, 0, 0); }
  ~Turn() { ::sem_destroy(&given_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  void give() { ::sem_post(&given_); }
  void wait() {
    while (::sem_wait(&given_) != 0) {  // a signal
    }
  }
  // False when nobody gave it in that time. (By sem_timedwait() and the wall clock, because ThreadSanitizer knows no
  // sem_clockwait(). A step of that clock backwards makes a vain wait longer, and changes nothing else.)
  bool wait_for(std::chrono::nanoseconds time) {
    const uint64_t until_ns = base::monotonic_ns() + static_cast<uint64_t>(time.count());
    for (uint64_t now_ns; (now_ns = base::monotonic_ns()) < until_ns;) {
      const uint64_t wall_ns = base::clock_ns(CLOCK_REALTIME) + (until_ns - now_ns);
      const timespec wall{static_cast<time_t>(wall_ns / 1'000'000'000), static_cast<long>(wall_ns % 1'000'000'000)};
      if (::sem_timedwait(&given_, &wall) == 0) return true;
    }
    return ::sem_trywait(&given_) == 0;
  }

 private:
  sem_t given_;
};

}  // namespace maxlat::scheduling
