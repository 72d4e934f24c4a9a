// SPDX-License-Identifier: MIT
#include "arm_definition.hpp"

namespace maxlat::npt {

// Named, so that a comparison that lists it says why its column is empty.
const ArmDefinition kLttngModulesArm{
    .name = "lttng-modules",
    .cannot_run =
        "LTTng's kernel modules do not build: 2.13.9 against Linux 6.1.192, lttng-probe-timer: conflicting types for "
        "'trace_hrtimer_start'",
    .cannot_run_hint = "docs/exact-comparison.md has more of it"};

}  // namespace maxlat::npt
