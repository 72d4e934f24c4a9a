// SPDX-License-Identifier: MIT
//
// `maxlat run`: a whole validation, phase by phase, from a plan (docs: maxlat-run(1), docs/plan.md).
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::rteval_ext {

const core::Command& run_command();

}  // namespace maxlat::rteval_ext
