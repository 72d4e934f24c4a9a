// SPDX-License-Identifier: MIT
//
// Whether a step's meter takes what the plan tells it: its arguments, its arms. Asked before hours are measured.
#pragma once

#include <maxlat/core/sys/result.hpp>

#include "meters/bench.hpp"
#include "plan/steps.hpp"

namespace maxlat::rteval_ext {

// `kernel_events` is the plan's. ERRORS: a meter of our own refuses its words. What only cannot run here is left to its
// phase, as is another program.
core::Status check_meter_words(const Step& step, const Bench& bench, bool kernel_events);

}  // namespace maxlat::rteval_ext
