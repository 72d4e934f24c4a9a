// SPDX-License-Identifier: MIT
//
// One thread of oslat, as its text and its JSON both tell it.
//
// Every pass of the loop is a sample, in whole microseconds rounded up, and a row is named by its upper edge: row 3
// holds what took more than 2 us and at most 3. So minimum, average and rows are never below the truth. What is longer
// than the last row is counted in it. Where the maximum lies beyond the last row, that row's samples are kept as
// overflows, since the file does not tell which of them belong there.
#pragma once

#include <cstdint>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <utility>
#include <vector>

namespace maxlat::importing {

struct OslatThread {
  unsigned cpu = 0;
  std::vector<std::pair<double, uint64_t>> rows{};  // upper edge in microseconds, count
  double min_us = 0, mean_us = 0, max_us = 0;
  double duration_s = 0;
};

// ERRORS: as cpu_result_of().
core::Result<core::CpuResult> oslat_result(const OslatThread& thread);

// The phase of these CPUs. `version`: of rt-tests.
core::Phase oslat_phase(const std::string& version, std::vector<core::CpuResult> per_cpu);

}  // namespace maxlat::importing
