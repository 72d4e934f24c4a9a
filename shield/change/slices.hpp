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

#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace maxlat::shield {

class Surface;

inline constexpr const char* kUnitsOfTheRoot[] = {"init.scope", "machine.slice", "system.slice", "user.slice"};

// The CPUs of units, and where they have them from: "0-2" from a drop-in of set-property --runtime, "0-2!" from
// somewhere else, such as a file in /etc, and "!" where nothing sets any: then it may use all. The mark tells whether
// the drop-in is there only because we have made it. Nothing: systemd is not process 1 here, or the unit is not active:
// it is not started for this. In the order of the units, for the price of one call of systemctl. ERRORS: systemd is
// process 1, and does not answer.
core::Result<std::vector<std::optional<std::string>>> slices_cpus(const Surface& surface,
                                                                  const std::vector<std::string>& units);
std::string without_mark(const std::string& cpus);

// As the journal has it, and back: "system.slice=0-3".
struct Slice {
  std::string unit, cpus;  // with or without a mark
};
std::string to_line(const Slice& slice);
Slice slice_from_line(const std::string& line);

// With a mark, the unit loses its drop-in, and has its CPUs from where it had them before. For that systemd reads all
// of its units anew, which takes long, so it is asked once for all of them. RETURNS: of each, why systemd refused.
std::vector<core::Status> set_slices(std::span<const Slice> slices, Surface& surface);

}  // namespace maxlat::shield
