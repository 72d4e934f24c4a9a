// SPDX-License-Identifier: MIT
//
// Which arguments a plan may give to cyclictest. Its command line is read as cyclictest reads it, by getopt_long() with
// its table of options: "--nsec", "-qN" and "--n" all have --nsecs in them.
#pragma once

#include <string>
#include <vector>

namespace maxlat::rteval_ext {

// Why not, in words; empty when they may be given. Refused is what the meter sets itself, or computes exposure and
// figures with, and what cyclictest would not know.
std::string refused_cyclictest_arguments(const std::vector<std::string>& arguments);

}  // namespace maxlat::rteval_ext
