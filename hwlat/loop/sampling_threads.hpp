// SPDX-License-Identifier: MIT
//
// How much CPU time the tracer's own threads have really had: the evidence behind "exposure".
//
// In mode per-cpu the kernel runs a thread "hwlatd/N" on each CPU N. Its run time in /proc/PID/schedstat is exact also
// with interrupts off (it is taken when the thread is switched out), so a CPU whose thread does not exist or never ran
// was not watched, whatever the tracer's files say.
#pragma once

#include <map>
#include <string>

namespace maxlat::hwlat {

// Seconds of run time of each hwlatd/N, by CPU. `proc` is /proc, a folder in tests.
std::map<unsigned, double> sampling_thread_seconds(const std::string& proc = "/proc");

}  // namespace maxlat::hwlat
