// SPDX-License-Identifier: MIT
//
// A preemption test as text.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>

namespace maxlat::scheduling {

// A table for each CPU, the verdict, and the largest delay where somebody knows who had its time. `verbose`: every pair
// and the largest delays; else those pairs that must preempt, and those that are not as they must.
std::string preempt_text(const core::Phase& phase, bool verbose);

}  // namespace maxlat::scheduling
