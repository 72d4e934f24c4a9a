// SPDX-License-Identifier: MIT
//
// A process that holds /dev/cpu_dma_latency at 0 for as long as it lives: the kernel takes the limit back when the file
// is closed, so somebody has to stay. It does nothing but wait for its end.
//
// It is started before it is journalled, because only then has it a number, but holds nothing until it is told to. When
// we die in between, it ends by itself: there is never a keeper that no journal knows.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>

namespace maxlat::shield {

class Keeper {
 public:
  // `file` is held open, with 32 bits of zero written to it, on one of `cpus`. ERRORS: no process to be had.
  static core::Result<Keeper> start(const std::string& file, const core::CpuList& cpus);
  pid_t pid() const { return pid_; }
  // Returns when the file is held. ERRORS: it cannot be opened or written; the keeper has ended then.
  core::Status hold();

 private:
  Keeper(pid_t pid, base::Descriptor go, base::Descriptor done)
      : pid_(pid), go_(std::move(go)), done_(std::move(done)) {}
  pid_t pid_;
  base::Descriptor go_, done_;
};

// Ends the process of this number, if it is the one that started then. Waits until it has gone.
core::Status end_keeper(pid_t pid, uint64_t started, const core::MachineView& machine);

}  // namespace maxlat::shield
