// SPDX-License-Identifier: MIT
//
// A preemption test as text.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>

namespace maxlat::scheduling {

// A table for each CPU, and the verdict. `every_pair`: else those that must preempt, and those that are not as they
// must.
std::string preempt_text(const core::Phase& phase, bool every_pair);

}  // namespace maxlat::scheduling
