// SPDX-License-Identifier: MIT
//
// A histogram as other tools print one, of one thread or CPU, and what they print beside it: the totals. Whatever the
// file says twice must agree: rows and overflows add up to the total, the maximum is in the last row or beyond it.
#pragma once

#include <cstdint>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace maxlat::importing {

// The unit of most of them.
inline constexpr double kMicrosecond_ns = 1000;

struct ForeignHistogram {
  std::string who;                   // "thread 0", for errors
  unsigned cpu = 0;                  // or the thread's number, where the file has no other
  double unit_ns = kMicrosecond_ns;  // of all values here
  double width = 1;                  // of a row, in units
  // Lowest value and count of each row, in any order; a count may be 0, a value comes once.
  std::vector<std::pair<double, uint64_t>> rows{};
  // What the file tells, if it does.
  std::optional<uint64_t> samples{};   // all of them, those beyond the histogram included
  std::optional<uint64_t> overflow{};  // beyond the histogram
  std::optional<double> min{}, mean{}, max{}, stddev{};
};

// Without exposure. Samples beyond the histogram have no value but the largest, so the file must tell that.
// ERRORS, each with who: no sample; a row twice; rows that do not add up to the total; overflows without a maximum.
core::Result<core::CpuResult> cpu_result_of(const ForeignHistogram& histogram);

}  // namespace maxlat::importing
