// SPDX-License-Identifier: MIT
//
// What ran on a CPU between two looks, counted by the kernel all the while: nothing is switched on, and looking leaves
// no trace on the CPU that is looked at.
//
//   interrupts  /proc/interrupts, by line: devices with their handlers' names, the local timer, what other CPUs sent
//   softirqs    /proc/softirqs, by kind. They run when an interrupt ends, or in ksoftirqd
//   switches    /proc/schedstat, the ninth figure of a CPU: tasks, other than the idle one, that it began to run (a
//               loop that has the CPU alone makes none)
//
// Sources: the kernel's Documentation/filesystems/proc.rst and Documentation/scheduler/sched-stats.rst.
#pragma once

#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/result/activity.hpp>
#include <vector>

namespace maxlat::core {

// So far, since boot, of every CPU that is online, ascending. Empty: /proc/interrupts cannot be read.
std::vector<CpuActivity> activity_of(const MachineView& machine);
// What came between the two, on CPUs that were online at both. A line that is new, or that began anew (its CPU was
// offline meanwhile), counts from 0. What did not happen is left out.
std::vector<CpuActivity> between(const std::vector<CpuActivity>& before, const std::vector<CpuActivity>& after);
// Those of some CPUs.
std::vector<CpuActivity> of_cpus(std::vector<CpuActivity> activity, const CpuList& cpus);

}  // namespace maxlat::core
