// SPDX-License-Identifier: MIT
//
// What the machine itself counts beside a measurement: SMIs per CPU (MSR 0x34, Intel) and time that the hypervisor took
// (steal, /proc/stat). Read before and after; the differences tell what a gap cannot be. Reading interrupts each of the
// CPUs, so not while something is measured there.
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/core/sys/cpu_list.hpp>
#include <optional>
#include <string>

namespace maxlat::core {

struct MachineCounts {
  std::map<unsigned, uint64_t> smi;    // only the CPUs where it can be read
  std::map<unsigned, double> steal_s;  // only the CPUs that /proc/stat has
  bool hypervisor = false;             // we are a guest
};

// `root` is "/", a folder in tests.
MachineCounts read_machine_counts(const core::CpuList& cpus, const std::string& root = "/");

// What rose between the two.
struct MachineChange {
  std::map<unsigned, uint64_t> smi;
  std::map<unsigned, double> steal_s;
  bool hypervisor = false;
};
MachineChange machine_change(const MachineCounts& before, const MachineCounts& after);

// "0 on CPU 1, 3 on CPU 2", or why it is not known.
std::string smi_text(const MachineChange& change);
// "30 ms of CPU 1, 0 ns of CPU 2: taken by the host, known to a tick of 10 ms only". "": not a guest, or not known.
std::string steal_text(const MachineChange& change);

}  // namespace maxlat::core
