// SPDX-License-Identifier: MIT
//
// The text of the kernel's hwlat tracer, as trace_pipe gives it. Pure functions.
//
//   <...>-1729  [001] d....  714.914437: #1     inner/outer(us):   12/14    ts:1617726545.463532131 count:3
//   <...>-1731  [003] d....  715.914437: #2     inner/outer(us):    4/9     ts:1617726546.463532131 count:1 nmi-total:4
//   nmi-count:1
//
// The CPU is the one in brackets: the record is written by the sampling thread on its CPU. Two times: the trace clock's
// before the '#', and the wall clock's after "ts:"; ts is when the gap was seen, the other when the window was over.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace maxlat::hwlat {

struct TracerRecord {
  unsigned cpu = 0;
  uint64_t sequence = 0;
  uint64_t inner_us = 0, outer_us = 0;
  uint64_t realtime_ns = 0;  // ts
  uint64_t count = 1;        // gaps above the threshold in the window; kernels before 5.10 do not tell
  uint64_t nmi_total_ns = 0, nmi_count = 0;
};

// Nothing for a line that is no record (comments, other events, a torn line).
std::optional<TracerRecord> parse_tracer_line(std::string_view line);
// "CPU:2 [LOST 5 EVENTS]": how many; 0 for every other line.
uint64_t parse_lost_line(std::string_view line);

}  // namespace maxlat::hwlat
