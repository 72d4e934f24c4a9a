// SPDX-License-Identifier: MIT
//
// The CPUs of this machine that somebody may measure on, and which of them a meter takes unless it is told.
#pragma once

#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>

namespace maxlat::core {

struct MachineCpus {
  CpuList online;    // and allowed to us
  CpuList isolated;  // of them: at boot, or by a shield that is on
};

Result<MachineCpus> machine_cpus();

// The isolated CPUs; without any, all but the first, which keeps the housekeeping. On one CPU: that one.
CpuList default_measured(const MachineCpus& machine);

}  // namespace maxlat::core
