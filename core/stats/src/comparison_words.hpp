// SPDX-License-Identifier: MIT
//
// A comparison as a sentence: what the arm adds and saves, and what is not shown, with the rounds that are likely to
// decide it. What is the same needs no words beside a difference, but for the maximum, which everyone asks about.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string>

namespace maxlat::core {

// Above this the rounds that are likely to decide are not named: nobody will run them.
inline constexpr double kMostRounds = 1000;

// REQUIRES: all of it but the verdict is filled.
std::string in_words(const Comparison& comparison);

}  // namespace maxlat::core
