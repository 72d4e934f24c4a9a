// SPDX-License-Identifier: MIT
//
// What a measurement does to the rest of its process, and undoes at its end.
#pragma once

#include <signal.h>

#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <utility>

namespace maxlat::npt {

// All memory locked, now and in future, while it lives.
class LockedMemory {
 public:
  static core::Result<LockedMemory> lock(bool wanted);
  LockedMemory(LockedMemory&& other) noexcept : locked_(std::exchange(other.locked_, false)) {}
  LockedMemory& operator=(LockedMemory&&) = delete;
  ~LockedMemory();

 private:
  explicit LockedMemory(bool locked) : locked_(locked) {}
  bool locked_;
};

// Keeps the calling thread off the measured CPUs while it lives. Where every CPU is measured it cannot: a main thread
// that then waits behind a FIFO loop would not even see Ctrl-C. So it blocks the stop signals, which leaves them to the
// measuring threads; the loop that takes one ends by it.
class OutOfTheWay {
 public:
  explicit OutOfTheWay(const core::CpuList& measured);
  ~OutOfTheWay();
  OutOfTheWay(const OutOfTheWay&) = delete;
  OutOfTheWay& operator=(const OutOfTheWay&) = delete;
  // False: no CPU is left for the calling thread, and the measuring threads must take the stop signals.
  bool has_own_cpu() const { return off_.elsewhere(); }
  const std::string& shares_them_because() const { return off_.shares_them_because(); }

 private:
  core::OffCpus off_;
  sigset_t mask_before_{};
};

// Whether CLOCK_MONOTONIC_RAW is read without a system call: by the kernel's clock source. `root` is "", a folder in
// tests.
bool raw_clock_is_in_user_space(const std::string& root = "");

// SIGINT and SIGTERM.
sigset_t stop_signals();

}  // namespace maxlat::npt
