// SPDX-License-Identifier: MIT
//
// For tests: an interval of the meter's, and an accounting in lines.
#pragma once

#include <fmt/format.h>

#include <maxlat/attribution/accounting.hpp>
#include <string>
#include <vector>

#include "test_events.hpp"

namespace maxlat::attribution::test {

inline Interval interval(uint64_t from, uint64_t to, uint64_t around_at_most = 50) {
  return {.from = from, .to = to, .thread = kMeter, .around_at_most = around_at_most, .ticks_per_ns = 2};
}

// "irq 24 eth0: 61"
inline std::vector<std::string> told(const Accounting& accounting) {
  std::vector<std::string> lines;
  for (const Part& part : accounting.parts)
    lines.push_back(fmt::format("{}{}: {}{}",
                                core::name_of({.kind = part.kind, .name = part.name, .woken_by = part.woken_by}),
                                part.function == 0 ? "" : fmt::format(" {:x}", part.function), part.ticks,
                                part.count == 1 ? "" : fmt::format(" in {}", part.count)));
  return lines;
}

}  // namespace maxlat::attribution::test
