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

OffCpus::OffCpus(const CpuList& cpus) {
  const Result<CpuList> allowed = allowed_cpus();
  if (!allowed) return;
  const CpuList others = difference(*allowed, cpus);
  elsewhere_ = !others.empty() && AffinityMask(others).apply(0);
  if (elsewhere_ && others != *allowed) before_ = AffinityMask(*allowed);
}

OffCpus::~OffCpus() {
  // Nothing to be done if it fails: the CPUs may have gone offline meanwhile.
  if (!before_.empty()) before_.apply(0);
}

}  // namespace maxlat::core
