// SPDX-License-Identifier: MIT
//
// The wake-ups of each CPU as a table; `verbose`: also the latest of them, with the time of day, and what the kernel
// ran.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>

namespace maxlat::scheduling {

std::string cyclic_text(const core::Phase& phase, bool verbose);

}  // namespace maxlat::scheduling
