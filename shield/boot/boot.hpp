// SPDX-License-Identifier: MIT
//
// The parameters of the kernel that the settings table asks for (core/machine, boot_parameters()), and the place where
// this box writes them. What a boot loader reads is the box's own: only a drop-in file, which nobody else writes, is
// written by us, and only when asked. No program is started: making the boot loader's menu anew is left to root.
#pragma once

#include <maxlat/core/machine/remedy.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::shield {

// How a box gives the kernel its command line: a row of the table in boot.cpp.
struct BootLoader {
  std::string_view name;      // "grub, with drop-ins"
  std::string_view file;      // that a person or we change
  bool is_drop_in = false;    // the file is ours alone
  std::string_view change;    // what to do with the file; {} are the parameters
  std::string_view apply;     // the command that makes a changed file count at the next boot; empty: none is needed
  std::string_view take_out;  // undoes the change of the file
};
// The first that is found here; nullptr when it is none that we know.
const BootLoader* boot_loader_of(const core::MachineView& machine);

// "isolcpus=managed_irq,domain,2-3 nohz_full=2-3".
std::string line_of(const std::vector<core::BootParameter>& parameters);
// The drop-in of grub, whole.
std::string drop_in_text(const std::vector<core::BootParameter>& parameters);

enum class DropIn { written, there_already, not_needed };
// Whole or not at all; not where the running kernel has all of it without the file. ERRORS: this box's boot loader
// reads no drop-in; a file with another content is there, which is left as it is; it cannot be written.
core::Result<DropIn> write_drop_in(const std::vector<core::BootParameter>& parameters,
                                   const core::MachineView& machine);

// What `maxlat shield boot` prints: parameter by parameter, the line, where it goes, how it is applied and undone.
std::string boot_text(const std::vector<core::BootParameter>& parameters, const core::MachineView& machine);

}  // namespace maxlat::shield
