// SPDX-License-Identifier: MIT
//
// From a ProcessSpec to a running program: the part between fork() and execve(), where only async-signal-safe calls are
// allowed, and the guard.
#pragma once

#include <sys/types.h>

#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/result.hpp>

namespace maxlat::core {

struct StartedProcess {
  pid_t pid = -1;
  pid_t guard = -1;
  base::Descriptor pidfd;
  base::Descriptor out, err;  // our ends, non-blocking; none where not captured
};

// On success the program is running: execve() has succeeded.
Result<StartedProcess> start_process(const ProcessSpec& spec);

}  // namespace maxlat::core
