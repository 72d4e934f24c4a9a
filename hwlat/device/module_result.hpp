// SPDX-License-Identifier: MIT
//
// What the module's books say, as a phase: nothing is left out, since a sample is a gap and the gaps' sum is the
// exposure.
#pragma once

#include <vector>

#include "backend.hpp"
#include "module_region.hpp"

namespace maxlat::hwlat {

struct ModuleCpu {
  unsigned cpu = 0;
  ModuleRegion region;
  bool went_offline = false;  // seen while it should have sampled
};

// `running`: the CPUs sample on, a look at what is known so far. ERRORS (Exit::invalid): books that do not balance, a
// CPU that was never watched.
core::Result<Measurement> module_measurement(const Settings& settings, const maxlat_hwlat_info& info,
                                             uint64_t started_ns, const std::vector<ModuleCpu>& cpus, bool running);

}  // namespace maxlat::hwlat
