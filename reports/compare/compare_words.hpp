// SPDX-License-Identifier: MIT
//
// What a comparison found, in sentences: page, terminal and exit status must not differ in it.
#pragma once

#include <string>

#include "compared_runs.hpp"

namespace maxlat::reports {

// Fills verdict, worse and alike, from the rest.
void say_verdict(ComparedRuns& compared, const CompareOptions& options);

// "x 1.43, worse in 98 % of pairs", "x 1.02"; empty where there is nothing to compare.
std::string difference_text(const Difference& difference);

// Where no value differs: because none does, or because not every run tells them.
std::string no_machine_difference(const ComparedRuns& compared);

// "good (3 runs)"
std::string group_text(const ComparedRuns& compared, size_t group);

}  // namespace maxlat::reports
