// SPDX-License-Identifier: MIT
//
// The way into the shield that is on here (maxlat shield on, maxlat run --shield), for a thread that is to measure.
//
// A shield is a cpuset of its own: the kernel gives its CPUs to nobody outside. A meter must not go in whole, because
// its other threads, and a tracer's consumer, would then share the CPUs that it measures. So the one thread goes in,
// and the process stays outside. set_affinity() does that by itself where it is asked for CPUs of the shield.
//
// On cgroup version 2 a thread may leave its process only within one threaded domain, and the shield's is the root of
// the hierarchy. A process that systemd has put into a scope of its own is therefore moved to the root first, once. It
// ends there, and what it had by its scope is lost: limits, accounting, and that systemd ends it with the session.
//
// A shield that is made of affinities alone has no door, and needs none.
#pragma once

#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/cpuset_place.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>

namespace maxlat::core {

class ShieldDoor {
 public:
  // Nothing: no shield with a cpuset is on.
  static std::optional<ShieldDoor> find(const std::string& root = "/");

  const CpuList& cpus() const { return cpus_; }
  bool leads_to(const CpuList& cpus) const { return difference(cpus, cpus_).empty(); }

  bool may_enter() const;  // this user
  // The calling thread, alone. It then has all CPUs of the shield. THREADS: any, at the same time.
  Status enter() const;
  // Whether this process was brought in whole (maxlat shield exec): its main thread is inside.
  bool has_whole_process() const;
  // The way out, for such a process, with all its threads: to the root of the hierarchy on version 2, to the group of
  // the system on version 1. Threads that are to measure come in again by enter().
  Status leave() const;
  // For a process that comes in whole: between fork() and execve() it writes "0" into this file.
  std::string process_file() const { return root_ + place_.process_file(); }

 private:
  ShieldDoor(std::string root, CpusetPlace place, CpuList cpus)
      : root_(std::move(root)), place_(std::move(place)), cpus_(std::move(cpus)) {}
  Status come_near() const;

  std::string root_;
  CpusetPlace place_;
  CpuList cpus_;
};

}  // namespace maxlat::core
