// SPDX-License-Identifier: MIT
#include "surroundings.hpp"

#include <sys/mman.h>

#include <fstream>
#include <maxlat/core/sys/realtime.hpp>

namespace maxlat::npt {

core::Result<LockedMemory> LockedMemory::lock(bool wanted) {
  if (wanted)
    if (core::Status status = core::lock_memory(); !status) {
      core::Error error = status.error();
      error.hint += error.hint.empty() ? "--no-mlock measures without" : ", or measure without: --no-mlock";
      return error;
    }
  return LockedMemory(wanted);
}

LockedMemory::~LockedMemory() {
  if (locked_) ::munlockall();
}

OutOfTheWay::OutOfTheWay(const core::CpuList& measured) : off_(measured) {
  if (has_own_cpu()) return;
  const sigset_t set = stop_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, &mask_before_);
}

OutOfTheWay::~OutOfTheWay() {
  if (!has_own_cpu()) ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

bool raw_clock_is_in_user_space(const std::string& root) {
  std::ifstream file(root + "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string source;
  file >> source;
  return source == "tsc" || source == "kvm-clock" || source == "hyperv_clocksource_tsc_page" ||
         source == "arch_sys_counter";
}

sigset_t stop_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace maxlat::npt
