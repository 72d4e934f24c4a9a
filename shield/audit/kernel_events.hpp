// SPDX-License-Identifier: MIT
//
// The kernel's events about some CPUs, in an instance of tracefs of our own, which nobody else sees.
//
// What it costs the CPUs. Switching events on changes the kernel's text, and every CPU is told by an interrupt: that is
// over when start() returns. From then on each event about the CPUs is written by the CPU it happens on, some hundred
// instructions; nobody is woken, because nobody waits: the buffers are read when stop() has been called.
#pragma once

#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/core/sys/tracefs.hpp>
#include <string>
#include <vector>

#include "trace_names.hpp"

namespace maxlat::shield {

class KernelEvents {
 public:
  // Events are on and not yet recorded. ERRORS: no tracefs, not root.
  static core::Result<KernelEvents> prepare(const std::string& root, const core::CpuList& cpus);
  core::Status record(bool on);
  // After record(false). `lost`: events that found no room; the counts in `names` are then too low.
  core::Status read(TraceNames& names, uint64_t& lost) const;

  // What this kernel has no event for, as a reader has to know it: "who sent an interrupt"
  const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  explicit KernelEvents(core::TraceInstance instance) : instance_(std::move(instance)) {}
  core::TraceInstance instance_;
  std::vector<std::string> unknown_;
};

}  // namespace maxlat::shield
