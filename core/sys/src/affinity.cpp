// SPDX-License-Identifier: MIT
#include <sys/syscall.h>
#include <unistd.h>

#include <maxlat/core/sys/affinity.hpp>

namespace maxlat::core {

AffinityMask::AffinityMask(const CpuList& cpus) {
  if (cpus.empty()) return;
  words_.resize(cpus.back() / 64 + 1);
  for (const unsigned cpu : cpus) words_[cpu / 64] |= uint64_t{1} << cpu % 64;
}

bool AffinityMask::apply(pid_t thread) const noexcept {
  return syscall(SYS_sched_setaffinity, thread, words_.size() * sizeof(uint64_t), words_.data()) == 0;
}

}  // namespace maxlat::core
