// SPDX-License-Identifier: MIT
//
// Whether all CPUs were stopped at once: one moment lies within a gap of each, of all that are kept. A stop is seen
// beside a longer gap of one CPU, too. Many gaps meet by chance: a moment counts where independent CPUs are expected to
// have fewer than one in a thousand such moments among gaps as long, or where it lies in the longest gap of each. A
// timer's tick stops all CPUs on a calm box, too, for it comes to all at the same time and nothing else is longer. So a
// gap does not count
//
//   - that the kernel's own events account for: most of it was the local timer's interrupt, or a timer's function;
//   - that recurs with the tick: of the phase's large gaps (a tenth of it, or more) more than chance allows are a whole
//     number of ticks away from it, for one of the rates that kernels have.
//
// A stop that lasts more than ten times as long as the ticks beside it counts wherever it lies.
#pragma once

#include <maxlat/core/result/run_result.hpp>

namespace maxlat::reports {

// Of two CPUs or more.
bool stopped_together(const core::Phase& phase);

}  // namespace maxlat::reports
