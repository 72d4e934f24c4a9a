// SPDX-License-Identifier: MIT
//
// A comparison on the screen: the table of Beamonte 2015 (Tables 2 and 3) with every arm as a column, then what each
// arm differs by, with its interval, the noise floor and the verdict. ASCII but for the squares of npt.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>

namespace maxlat::npt {

std::string comparison_text(const core::RunResult& run);
std::string maximum_rate_text(const core::RunResult& run);

}  // namespace maxlat::npt
