// SPDX-License-Identifier: MIT
//
// Whether interrupts can reach the loop, as the processor says, not as a system call promises.
//
// npt 1.01 turned them off with iopl(3) and cli. Linux 5.5 made that cli fault, and since 5.15 (and 5.10-stable) it is
// a silent no-op: no error, and interrupts stay on. So npt reads EFLAGS.IF after trying, and labels the run with the
// truth.
#pragma once

#include <string>

namespace maxlat::npt {

// The processor's interrupt flag (EFLAGS.IF). True where user space cannot read it: then nothing turned it off either.
bool interrupts_enabled();

// What cli does to a process here. Tried in a child, which may die of it.
enum class CliEffect { not_permitted, ignored, faults, works };
CliEffect try_cli();

// The label of a run: "on", "on: cli ignored by this kernel", "on: cli faults on this kernel" ...
// `enabled_in_loop` is the flag as read by the measuring threads.
std::string interrupts_label(bool allow_interrupts, CliEffect effect, bool enabled_in_loop);

}  // namespace maxlat::npt
