// SPDX-License-Identifier: MIT
//
// What `maxlat check --fix` prints: the writes that a shield of the same CPUs would make, each as a line that a shell
// of root runs, and all else as comments, so that the whole is a script. Nothing is written here.
#pragma once

#include <maxlat/core/machine/remedy.hpp>
#include <maxlat/core/sys/terminal.hpp>
#include <string>
#include <vector>

namespace maxlat::rteval_ext {

// What is to be done about every setting of the table, in its order; those about which nothing is to be done, too.
std::vector<core::Remedy> remedies(const core::MachineView& machine);

struct FixStyle {
  size_t width = core::kScreenWidth;  // of the comments; commands are never broken
  bool is_root = true;
};
std::string fix_script(const std::vector<core::Remedy>& remedies, const core::MachineView& machine,
                       const FixStyle& style);
// "12 files to write, 4 parameters of the kernel, 3 settings by hand, 2 not known".
std::string fix_summary(const std::vector<core::Remedy>& remedies, const core::MachineView& machine);

}  // namespace maxlat::rteval_ext
