// SPDX-License-Identifier: MIT
//
// One arm, once, in a process of its own: this same executable is started as `maxlat npt --arm ...` and its result is
// read from its standard output. A process of its own because a tracer leaves threads, mappings and warm caches behind
// that would be in the next arm's figures; and because one that crashes is then an arm that failed, not a comparison
// that is lost.
#pragma once

#include <cstdint>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/command.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/npt/measure.hpp>
#include <string>
#include <vector>

namespace maxlat::npt {

// What all processes of a comparison or of a search have in common.
struct ArmProcess {
  std::string executable;   // maxlat itself
  unsigned cpu = 0;         // that is measured, the same in every process
  core::CpuList usable;     // the CPUs a child may use; we keep off the measured one
  core::Arguments options;  // of `maxlat npt`, as the user gave them
};

// Runs it to its end, or to a request to stop, which is handed on. `arm` as --arm takes it. Never fails: the status of
// the first phase says how it went, and skipped (exit status 77) and failed have the child's own words as their reason.
// Further phases are further looks at the same run: its waiting windows, its gaps with a tracepoint. Phase::gaps says
// of which gaps each of them is. Each is of one CPU, and has what else ran there meanwhile, its start included.
std::vector<core::Phase> phases_of_arm(const ArmProcess& process, const std::string& arm,
                                       const core::Arguments& more = {});
// The first of them.
core::Phase run_arm(const ArmProcess& process, const std::string& arm, const core::Arguments& more = {});

}  // namespace maxlat::npt
