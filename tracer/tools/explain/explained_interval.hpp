// SPDX-License-Identifier: MIT
//
// Who had a CPU in an interval of a recorded trace (docs/who-did-it.md). The trace is read twice: for the names that
// its state dump tells, then for the events of the CPU. MEMORY: the events from the last task switch before the
// interval on.
//
// LIMITS   Who woke a task from another CPU, or sent an interrupt, is by the last such event before. In a trace of some
//          of the CPUs, or where another CPU's loss is told only behind the interval, a later one may be missing.
#pragma once

#include <cstdint>
#include <maxlat/core/result/accounting.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

struct ExplainRequest {
  std::string folder;
  unsigned cpu = 0;
  std::int64_t from_ns = 0, to_ns = 0;  // of CLOCK_REALTIME, as the trace tells it
  std::int32_t thread = -1;             // that measured: its own time is what nothing explains; -1: nobody did
};

struct ExplainedInterval {
  std::uint64_t ticks = 0;  // of the whole; the parts' add up to it
  double ns = 0;
  struct Part {
    core::AccountedTime time;
    std::uint64_t ticks = 0;
  };
  std::vector<Part> parts{};                // largest first
  std::vector<std::string> not_recorded{};  // whose time is then with whoever it interrupted: "softirqs"
  std::vector<std::string> breaks{};        // what of the trace could not be read

  // Of nothing in it is it unknown who had it.
  bool is_whole() const;
};

// ERRORS: no trace, or none with events of the kernel; a CPU whose events are not in it.
core::Result<ExplainedInterval> explain(const ExplainRequest& request);

}  // namespace maxlat::trace_tools
