// SPDX-License-Identifier: MIT
//
// What systemd has below the root of the cgroup hierarchy, and the CPUs that each of these units may use
// (AllowedCPUs=).
//
// Where systemd is process 1 it owns the hierarchy: with every unit that it starts, and at `systemctl daemon-reload`,
// it may write the root's list of controllers anew, from what its units ask for. A cpuset that none of them asks for
// goes away then, and with it a partition that somebody else has made there. So its units get their CPUs from systemd
// itself, until the next boot (systemctl set-property --runtime), and it keeps the controller for them.
//
// Sources: systemd.resource-control(5), systemctl(1), systemd's "Control Group APIs and Delegation".
#pragma once

#include <map>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>

namespace maxlat::shield {

class Surface;

// "system.slice" and its CPUs, which is empty where the unit may use all. Those that are active: another one is not
// started for this. Empty: systemd is not process 1 here. ERRORS: systemd is, and does not answer.
using SliceCpus = std::map<std::string, std::string>;
core::Result<SliceCpus> slice_cpus(const Surface& surface);

// As one line of the journal, and back: "init.scope= system.slice=0-3".
std::string to_line(const SliceCpus& slices);
SliceCpus slices_from_line(const std::string& line);

// ERRORS: systemd refuses; what it said.
core::Status set_slices(const SliceCpus& slices, Surface& surface);

}  // namespace maxlat::shield
