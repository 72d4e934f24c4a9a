// SPDX-License-Identifier: MIT
//
// A kernel that is being traced meanwhile: system calls, scheduler, interrupts, timers, work queues and block devices,
// each event of every CPU, into buffers that keep the newest: in a tracing instance of our own, or by our module, which
// has no events of block devices. Nobody reads them: what it adds is what the kernel's own probes cost all programs, a
// measured loop and a tracer's consumer among them (Beamonte 2015, sections 5 and 6).
//
// Made with start(), undone with the object, and after a SIGKILL by the kernel (module) or by the next npt
// (arm_folder.hpp).
#pragma once

#include <cstdint>
#include <maxlat/core/result/run_result.hpp>
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
  // Events so far, all CPUs; by the module, those of packets that were filled.
  std::uint64_t events() const;
  // "the kernel traced: 5208 events of syscalls sched irq, by tracefs"
  std::string text(std::uint64_t events) const;
  // What a phase was measured beside, and how many events the load had meanwhile: a fact of it. One that had none was
  // no load, and the phase is not valid.
  void enter(core::Phase& phase, std::uint64_t events) const;

 private:
  core::Status start_tracefs();
  core::Status start_module();

  std::optional<ArmFolder> folder_;
  TracefsInstance instance_;
  std::optional<trace::KernelSession> session_;
  std::string what_;
};

}  // namespace maxlat::npt
