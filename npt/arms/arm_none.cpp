// SPDX-License-Identifier: MIT
//
// none: the bare loop. Nothing is made and nothing is called; every comparison has it as its base.
#include <maxlat/npt/arm_definition.hpp>

namespace maxlat::npt {

extern const ArmDefinition kNoArm{.name = "none"};

}  // namespace maxlat::npt
