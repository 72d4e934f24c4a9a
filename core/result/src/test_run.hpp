// SPDX-License-Identifier: MIT
//
// For tests: a run with everything in it that the format knows, and no default value where the format has a key.
#pragma once

#include <maxlat/core/result/run_result.hpp>

namespace maxlat::core {

RunResult example_run();

// A run like a long one on a large box: every CPU with `bins` bins and 10^9 samples.
RunResult large_run(unsigned cpus, unsigned bins);

}  // namespace maxlat::core
