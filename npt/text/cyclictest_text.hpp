// SPDX-License-Identifier: MIT
//
// The report in cyclictest's histogram layout (-h N, --format cyclictest): one column per CPU, "%06d" rows of 1 us, and
// the "# Min Latencies:" lines that scripts grep for.
#pragma once

#include <maxlat/npt/measure.hpp>
#include <string>

namespace maxlat::npt {

std::string cyclictest_text(const Measurement& measurement, unsigned rows, bool with_rows = true);

}  // namespace maxlat::npt
