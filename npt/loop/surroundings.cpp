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

OutOfTheWay::OutOfTheWay(const core::CpuList& measured) {
  if (auto allowed = core::allowed_cpus()) {
    affinity_before_ = *allowed;
    const core::CpuList others = core::difference(affinity_before_, measured);
    has_own_cpu_ = !others.empty() && core::set_affinity(others).ok();
  }
  if (has_own_cpu_) return;
  const sigset_t set = stop_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, &mask_before_);
}

OutOfTheWay::~OutOfTheWay() {
  if (!has_own_cpu_) {
    ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    return;
  }
  // Nothing to be done if it fails: the CPUs may have gone offline meanwhile.
  [[maybe_unused]] const core::Status restored = core::set_affinity(affinity_before_);
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
