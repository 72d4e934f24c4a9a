// SPDX-License-Identifier: MIT
//
// A histogram for a terminal that grep, awk and gnuplot can read as well: one line for each class of a 1-2-5 scale,
//
//   hist  "name"  low_ns  high_ns  samples  ####
//
// the bar's length logarithmic in the count, so that a single sample still has a mark. Classes between the first and
// the last that hold nothing are printed too: a gap in the tail is what a reader looks for. Counts are conserved.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>

namespace maxlat::reports {

std::string text_histogram(const std::string& name, const core::CpuResult& cpu, unsigned width);

}  // namespace maxlat::reports
