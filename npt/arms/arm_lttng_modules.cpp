// SPDX-License-Identifier: MIT

#include <maxlat/npt/arm_definition.hpp>

namespace maxlat::npt {

// Named, so that a comparison that lists it says why its column is empty.
extern const ArmDefinition kLttngModulesArm{
    .name = "lttng-modules",
    .cannot_run =
        "maxlat has no arm for LTTng's kernel modules: 2.13.9 did not build when it was tried (Linux 6.1.192, "
        "lttng-probe-timer: conflicting types for 'trace_hrtimer_start')",
    .cannot_run_hint = "docs/exact-comparison.md has more of it"};

}  // namespace maxlat::npt
