// SPDX-License-Identifier: MIT
//
// The CPUs that a thread may use, as the kernel takes them: a mask of any width, made before it is needed.
//
// glibc's cpu_set_t ends at CPU 1023, and its wide form must be allocated where it is used; a child between fork() and
// execve() may not allocate. So the mask is made first, and applied by one raw system call.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <maxlat/core/sys/cpu_list.hpp>
#include <string>
#include <vector>

namespace maxlat::core {

class AffinityMask {
 public:
  AffinityMask() = default;
  explicit AffinityMask(const CpuList& cpus);

  bool empty() const { return words_.empty(); }
  // For one thread, 0 for the calling one. False: errno tells why. SIGNALS: async-signal-safe, and safe after fork().
  // The kernel keeps the intersection with the thread's cpuset, and refuses one that is empty.
  bool apply(pid_t thread) const noexcept;

 private:
  std::vector<uint64_t> words_;  // 64 CPUs each, CPU 0 in the lowest bit of the first
};

// Keeps the calling thread off some CPUs while it lives, where it may use another one; else it stays where it is, and
// should sleep.
//
// A process that `maxlat shield exec` has brought into a shield whole, and that has no other CPU there, leaves it for
// good, with all its threads. So this is made before the threads that are to run on these CPUs: they enter by
// themselves (shield_door.hpp). THREADS: made and destroyed by one thread.
class OffCpus {
 public:
  explicit OffCpus(const CpuList& cpus);
  ~OffCpus();
  OffCpus(const OffCpus&) = delete;
  OffCpus& operator=(const OffCpus&) = delete;
  bool elsewhere() const { return elsewhere_; }  // the thread is on none of these CPUs
  // A warning for who measures there, where the box has other CPUs and this process may use none of them; else empty.
  const std::string& shares_them_because() const { return shares_them_because_; }

 private:
  bool elsewhere_ = false;
  std::string shares_them_because_;
  AffinityMask before_;  // empty: nothing was changed
};

}  // namespace maxlat::core
