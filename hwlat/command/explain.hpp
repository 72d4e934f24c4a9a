// SPDX-License-Identifier: MIT
//
// What caused a gap, by exclusion. The module counts SMIs and NMIs for each gap. Elsewhere the counts are of the whole
// run (SMIs) or of the window (NMIs, tracer), so each answer is as strong as that:
//
//   the SMI count rose in the gap        firmware       (module)
//   SMI count of the CPU rose            firmware       (tracer, loop)
//   an NMI was counted in it             NMI
//   all watched CPUs at the same time    global stall (firmware, host, or the whole machine stopped), interrupts off
//   steal time of the CPU rose           host
//   we are a guest                       host, where interrupts were off; else host, interrupt or scheduling
//   the loop saw it                      unknown: interrupts and scheduling are not excluded
//   tracer or module saw it              unknown: hardware, with interrupts off
#pragma once

#include <maxlat/core/machine/machine_counts.hpp>

#include "backend.hpp"

namespace maxlat::hwlat {

// Fills Outlier::cause of every outlier above the threshold; unknown ones stay "".
void explain(Measurement& measured, const core::MachineChange& change, const Settings& settings, bool interrupts_off);

}  // namespace maxlat::hwlat
