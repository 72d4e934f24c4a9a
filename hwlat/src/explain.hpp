// SPDX-License-Identifier: MIT
//
// What caused a gap, by exclusion. The counts are of the whole run, not of the gap, so each answer is as strong as
// that:
//
//   SMI count of the CPU rose            firmware
//   the tracer counted an NMI in it      NMI
//   all watched CPUs at the same time    global stall (firmware, host, or the whole machine stopped)
//   steal time of the CPU rose           host
//   we are a guest                       host, where interrupts were off (tracer); else host, interrupt or scheduling
//   the loop saw it                      unknown: interrupts and scheduling are not excluded
//   the tracer saw it                    unknown: hardware, with interrupts off
#pragma once

#include "backend.hpp"
#include "machine_counts.hpp"

namespace maxlat::hwlat {

// Fills Outlier::cause of every outlier above the threshold; unknown ones stay "".
void explain(Measurement& measured, const MachineChange& change, const Settings& settings, bool interrupts_off);

}  // namespace maxlat::hwlat
