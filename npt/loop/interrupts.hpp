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

// For a run that leaves them as they are.
struct InterruptsStayOn {
  void turn_off() const {}
  void turn_on() const {}
};

// Who turned them off, if anybody could.
enum class OffBy { nobody, module_in_user_space, kernel_loop };

// The label of a run, exactly one of
//   off (module, user space)          cli in the measuring thread, which the module has made work
//   off (kernel loop)                 the module's loop
//   on: cli ignored by this kernel    iopl is granted and cli does nothing: what npt 1.01 never noticed
//   on
// `enabled_in_loop` is the flag as read by the measuring threads: it decides, whatever was promised.
std::string interrupts_label(OffBy off_by, bool allow_interrupts, CliEffect effect, bool enabled_in_loop);

// Why user space's own cli does not do, for "on"; "" where there is nothing to say.
std::string cli_text(CliEffect effect);

}  // namespace maxlat::npt
