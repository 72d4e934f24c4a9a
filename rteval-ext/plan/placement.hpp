// SPDX-License-Identifier: MIT
//
// Where a phase runs on this machine: which CPUs it measures and which CPUs its loads use.
//
// Defaults, in the order in which they are tried:
//
//   measured   the plan's `cpus`; the CPUs isolated at boot or shielded; else for a gap meter (npt, hwlat) all
//              but the first online CPU (the first keeps the housekeeping), for cyclictest all of them, as rteval does
//   loads      the plan's `load_cpus`; the housekeeping CPUs of its shield, where it names them; for cyclictest on a
//              machine without isolation all CPUs (a timer latency is meant to be seen under load); else the online
//              CPUs that are not measured
//
// The command line's -a and --load-cpus are written into the plan, so that a resumed run has them too.
//
// On one CPU the loads share it with the meter: they must run somewhere, and a warning says so.
#pragma once

#include <maxlat/core/sys/machine_cpus.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

#include "plan.hpp"

namespace maxlat::rteval_ext {

struct Placement {
  core::CpuList measured, loads;
  bool everywhere = false;  // measured is every CPU, by default and not by choice
  std::vector<std::string> warnings;
};

// `of_shield`: the housekeeping CPUs that the plan names. ERRORS: a CPU that is not online here.
core::Result<Placement> place(const PhasePlan& phase, const core::MachineCpus& machine,
                              const core::CpuList& of_shield = {});

// ERRORS: some of the CPUs are not online here, or not allowed to us. `whose`: "phase 'idle'".
core::Status require_usable(const core::CpuList& cpus, const core::MachineCpus& machine, const std::string& whose);

}  // namespace maxlat::rteval_ext
