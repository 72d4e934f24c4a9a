// SPDX-License-Identifier: MIT
//
// Whether a thread is still on the one CPU that it was bound to.
//
// A CPU that goes offline does not wait for the threads that are bound to it: the kernel gives them all other CPUs, for
// good, and they go on there. Whoever measures one CPU would then measure another one, and not know it.
//
// COST     is_here(): a load of a word that the kernel keeps current (rseq(2), glibc 2.35), else a call of the vDSO. No
//          system call.
// THREADS  only the one that is bound.
#pragma once

#include <sched.h>

#include <string>

namespace maxlat::core {

class HomeCpu {
 public:
  HomeCpu() = default;  // of a thread that is bound to nothing: it is always there
  // REQUIRES: the calling thread was bound to `cpu` alone. It may have been moved since, and then it is not there.
  // Where it is bound and the kernel tells another number all the same (an emulated one), nothing can be said, and the
  // thread is always there.
  static HomeCpu of_this_thread(unsigned cpu);

  bool is_here() const noexcept { return cpu_ < 0 || sched_getcpu() == cpu_; }
  // When it has ended: why what it measured is not all of that CPU, as a sentence; "" when it is. It may have left and
  // come back between two looks, so its binding is asked for, too. `was_away`: is_here() was false once.
  std::string why_left(bool was_away) const;

 private:
  explicit HomeCpu(int cpu) : cpu_(cpu) {}
  int cpu_ = -1;
};

// "CPU 3 went offline; it was watched for 0.503 s": the reason of a measurement, from why_left().
std::string watched_until_it_left(const std::string& why_left, double exposure_s);

}  // namespace maxlat::core
