// SPDX-License-Identifier: MIT
//
// On which NUMA node the pages of a ring lie: on that of the CPU that writes them, whoever makes the ring. Rings of
// CPUs are made by the thread that starts the session, and so are those of prepared threads; left alone, they would all
// lie on that thread's node.
//
// WHEN. Pages are taken by fallocate(2), not by the first store, and it asks the policy of the file first, then that of
// the calling thread. So the file is told before.
// WHERE. mbind(2) on a shared mapping of tmpfs sets the policy of that range of the file: for all who have it, until it
// is set again, also when the mapping is gone and when the pages were punched out. So the next ring of a slot sets its
// own.
//
// A machine with one node pays for one read of a list when the first session is made. FAILURE is no error: a ring on
// another node is slower, and a ring.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "own_threads.hpp"

namespace maxlat::trace {

inline constexpr int kNoNode = -1;  // not known, or one as good as another

class MemoryNodes {
 public:
  // `folder`: /sys/devices/system/node, or what looks like it. Without one there is one node.
  static MemoryNodes read(const std::string& folder);

  // More than one of them has memory.
  bool several() const { return !cpus_.empty(); }
  // REQUIRES, the three: several().
  int of_cpu(unsigned cpu) const;
  // The node that has all of them.
  int of_cpus(const detail::CpuMask& cpus) const;
  // Where another thread of this process may run; where that is on several nodes, where it is now. Not for signal
  // handlers.
  int of_thread(std::uint32_t thread_id) const;

 private:
  std::vector<detail::CpuMask> cpus_;  // by node; none where there is nothing to choose from
};

// Those of this machine, read by the first call; all later ones are async-signal-safe.
const MemoryNodes& memory_nodes();

// Where the calling thread is now. Async-signal-safe.
int node_of_this_cpu();

// Pages of that range of the file are taken from this node from now on, as long as it has some; kNoNode: from where the
// thread is that takes them. Async-signal-safe, no cancellation point.
void prefer_node(int fd, std::int64_t offset, std::uint64_t size, int node);

}  // namespace maxlat::trace
