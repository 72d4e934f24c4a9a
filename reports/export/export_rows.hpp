// SPDX-License-Identifier: MIT
//
// Our bins as the histograms of other tools: rows of whole microseconds, each named by its lower edge.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <maxlat/core/result/run_result.hpp>

namespace maxlat::reports {

inline constexpr double kRow_ns = 1000;

inline std::map<uint64_t, uint64_t> rows_of(const core::CpuResult& cpu) {
  std::map<uint64_t, uint64_t> rows;
  for (const core::Bin& bin : cpu.bins)
    rows[static_cast<uint64_t>(std::floor(bin.low_ns / kRow_ns + 1e-6))] += bin.count;
  return rows;
}

// A meter that does not tell the deviation leaves 0, which is one only of samples that are all the same.
inline bool tells_deviation(const core::CpuResult& cpu) {
  return cpu.stddev_ns > 0 || cpu.min_ns == cpu.max_ns;
}

}  // namespace maxlat::reports
