// SPDX-License-Identifier: MIT
//
// A kernel that is being traced meanwhile: system calls, scheduler, interrupts, timers, work queues and block devices,
// each event of every CPU, into buffers that keep the newest: in a tracing instance of our own, or by our module, which
// has no events of block devices. Nobody reads them: what it adds is what the kernel's own probes cost all programs, a
// tracer's consumer among them (Beamonte 2015, section 6).
//
// Made with start(), undone with the object, and after a SIGKILL by the kernel (module) or by the next npt
// (arm_folder.hpp).
#pragma once

#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/trace/kernel/kernel_session.hpp>
#include <optional>
#include <string>

#include "arms/arm_folder.hpp"
#include "arms/tracefs_instance.hpp"

namespace maxlat::npt {

class KernelTraceLoad {
 public:
  enum class By { tracefs, module };

  // ERRORS: no tracefs or no module here, or none of the groups of events, with the reason (Exit::cannot_run).
  core::Status start(By by);
  // Events so far, all CPUs; by the module, those of packets that were filled. A load that has none was none.
  std::uint64_t events() const;
  // "syscalls sched irq, by tracefs", for the result
  const std::string& what() const { return what_; }

 private:
  core::Status start_tracefs();
  core::Status start_module();

  std::optional<ArmFolder> folder_;
  TracefsInstance instance_;
  std::optional<trace::KernelSession> session_;
  std::string what_;
};

}  // namespace maxlat::npt
