// SPDX-License-Identifier: MIT
//
// A kernel that is being traced meanwhile: system calls, scheduler, interrupts, timers, work queues and block devices,
// each event of every CPU, into buffers that keep the newest: in a tracing instance of our own, or by our module, which
// has no events of block devices. Nobody reads them: what it adds is what the kernel's own probes cost all programs, a
// measured loop and a tracer's consumer among them (Beamonte 2015, section 5). Or all events that the kernel has, or
// its system calls alone, into buffers that drop what finds no room, and that are written to a disk (section 6).
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
#include "kernel_trace_spec.hpp"
#include "trace_drain.hpp"

namespace maxlat::npt {

class KernelTraceLoad {
 public:
  // What takes the events to a disk keeps off `measured_cpu`. ERRORS: no tracefs or no module here, or none of the
  // groups of events, with the reason (Exit::cannot_run); no disk to write to.
  core::Status start(const KernelTraceSpec& spec, unsigned measured_cpu);
  // Of start(): takes what is in the folder of an instance to a disk.
  core::Status drain(const std::string& instance, unsigned measured_cpu, const std::string& to = TraceDrain::kFolder);
  core::Status status() const;  // why it is no load any more: the disk is full
  struct Counts {
    std::uint64_t events = 0;  // all CPUs; by the module, those of packets that were filled
    std::uint64_t lost = 0;    // of these, for want of room
    std::uint64_t bytes = 0;   // written to the disk
    Counts since(const Counts& before) const;
  };
  Counts counts() const;  // so far
  // "the kernel traced: 5208 events of syscalls sched irq, by tracefs"
  std::string text(const Counts& counts) const;
  // What a phase was measured beside, and how many events the load had meanwhile: a fact of it. One that had none was
  // no load, and the phase is not valid; nor where the disk is full.
  void enter(core::Phase& phase, const Counts& meanwhile) const;

 private:
  core::Status start_tracefs(const KernelTraceSpec& spec, unsigned measured_cpu);
  core::Status enable_groups();
  core::Status start_drained(bool all, unsigned measured_cpu);
  core::Status start_module();

  std::optional<ArmFolder> folder_;
  TracefsInstance instance_;
  std::optional<TraceDrain> drain_;  // behind the instance, which it keeps
  std::optional<trace::KernelSession> session_;
  std::string what_;
};

}  // namespace maxlat::npt
