// SPDX-License-Identifier: MIT
//
// A kernel that is being traced meanwhile: system calls, scheduler, interrupts, timers, work queues and block devices,
// each event of every CPU, in a tracing instance of our own that keeps the newest. Nobody reads it: what it adds is
// what the kernel's own probes cost all programs, a tracer's consumer among them (Beamonte 2015, section 6).
//
// Made with start(), undone with the object, and after a SIGKILL by the next npt (arm_folder.hpp).
#pragma once

#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>

#include "arms/arm_folder.hpp"
#include "arms/tracefs_instance.hpp"

namespace maxlat::npt {

class KernelTraceLoad {
 public:
  // ERRORS: no tracefs here, or none of the groups of events, with the reason (Exit::cannot_run).
  core::Status start();
  // Events so far, all CPUs. A load that has none was none.
  std::uint64_t events() const { return instance_.seen(); }
  const std::string& groups() const { return groups_; }  // "syscalls sched irq"

 private:
  std::optional<ArmFolder> folder_;
  TracefsInstance instance_;
  std::string groups_;
};

}  // namespace maxlat::npt
