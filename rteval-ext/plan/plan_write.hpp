// SPDX-License-Identifier: MIT
//
// A plan as TOML text again: what parse_plan() reads back as the same plan. Needed when the command line changed the
// plan (-a, --load-cpus), because the run keeps its plan as text and --resume has nothing else.
#pragma once

#include <string>

#include "plan.hpp"

namespace maxlat::rteval_ext {

std::string to_toml(const Plan& plan);

}  // namespace maxlat::rteval_ext
