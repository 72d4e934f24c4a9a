// SPDX-License-Identifier: MIT
//
// What the machine did while a phase was under way, its set-up and its loads included: what else ran on the phase's
// CPUs, and what the kernel logged. A control is watched as every other phase is.
#pragma once

#include <maxlat/core/machine/cpu_activity.hpp>
#include <maxlat/core/machine/kernel_log.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <vector>

namespace maxlat::rteval_ext {

class PhaseWatch {
 public:
  // From now on.
  PhaseWatch() : log_({}), before_(core::activity_of({})) {}
  // Until now: `activity` of these CPUs, `kernel_messages`, and their worst in one line, as a warning or a fact.
  // REQUIRES: called once.
  void tell(const core::CpuList& cpus, core::Phase& phase);

 private:
  core::KernelLog log_;
  std::vector<core::CpuActivity> before_;
};

}  // namespace maxlat::rteval_ext
