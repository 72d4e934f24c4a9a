// SPDX-License-Identifier: MIT
//
// Where an arm's tail comes from, on the screen: a row for each path of its tracer, and the worst gap by name.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>
#include <string_view>

namespace maxlat::npt {

// Each line begins with `line_start`. Empty where the arm does not tell its paths.
std::string paths_text(const core::Phase& arm, std::string_view line_start);

}  // namespace maxlat::npt
