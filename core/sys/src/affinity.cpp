// SPDX-License-Identifier: MIT
#include <sys/syscall.h>
#include <unistd.h>

#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/shield_door.hpp>
#include <optional>

namespace maxlat::core {

AffinityMask::AffinityMask(const CpuList& cpus) {
  if (cpus.empty()) return;
  words_.resize(cpus.back() / 64 + 1);
  for (const unsigned cpu : cpus) words_[cpu / 64] |= uint64_t{1} << cpu % 64;
}

bool AffinityMask::apply(pid_t thread) const noexcept {
  return syscall(SYS_sched_setaffinity, thread, words_.size() * sizeof(uint64_t), words_.data()) == 0;
}

namespace {

// Out of the shield, where nothing but these CPUs is inside. ERRORS: the process may not.
Status leave_shield_of(const CpuList& cpus) {
  const std::optional<ShieldDoor> door = ShieldDoor::find();
  if (!door || !difference(door->cpus(), cpus).empty() || !door->has_whole_process()) return {};
  return door->leave();
}

}  // namespace

OffCpus::OffCpus(const CpuList& cpus) {
  Result<CpuList> allowed = allowed_cpus();
  if (!allowed) return;
  Status left;
  if (difference(*allowed, cpus).empty()) {
    left = leave_shield_of(cpus);
    allowed = allowed_cpus();
    if (!allowed) return;
  }
  const CpuList others = difference(*allowed, cpus);
  elsewhere_ = !others.empty() && AffinityMask(others).apply(0);
  if (elsewhere_ && others != *allowed) before_ = AffinityMask(*allowed);
  const Result<CpuList> online = online_cpus();
  if (elsewhere_ || !online || difference(*online, cpus).empty()) return;
  shares_them_because_ = "the whole process is bound to the measured CPUs, and its other threads disturb them";
  if (!left) shares_them_because_ += ": " + left.error().text;
}

OffCpus::~OffCpus() {
  // Nothing to be done if it fails: the CPUs may have gone offline meanwhile.
  if (!before_.empty()) before_.apply(0);
}

}  // namespace maxlat::core
