// SPDX-License-Identifier: MIT
//
// Comparisons and maximum rates in the terminal, in the words and figures of the page's section "Tracers".
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>

namespace maxlat::reports {

// Without headings and colours. Empty when the run has none.
std::string text_arms(const core::RunResult& run, unsigned width);

}  // namespace maxlat::reports
