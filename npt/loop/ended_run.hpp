// SPDX-License-Identifier: MIT
//
// What the measuring threads leave behind when all have ended: all that a result is made from, beside the plan and the
// arm. Tests write it by hand.
//
// OWNERSHIP  the books stay with whom they came from (measuring_threads.hpp), which must live as long.
#pragma once

#include <cstdint>
#include <maxlat/base/histogram.hpp>
#include <maxlat/npt/measure.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cpu_run.hpp"

namespace maxlat::npt {

struct EndedCpu {
  const CpuRun* run = nullptr;
  const CpuRun* waiting = nullptr;  // of the windows without tracepoints; null where there are none
  // At a limited rate: the gaps that had an event in them, or would have had one if there were an arm; they are also
  // among the others. Null without.
  const base::Histogram* event_gaps = nullptr;
  uint64_t events = 0;     // that the arm was given, npt:start and npt:stop with them
  uint32_t thread_id = 0;  // of the thread that measured
};

struct EndedRun {
  std::vector<EndedCpu> cpus;  // in the order of the CPU list
  LoopCost cost;
  std::string why_interrupts_on;          // "" where they could be turned off, or nobody wanted to
  std::optional<std::string> starved_by;  // who kept a CPU from its loop, which was then given up
  std::string why_not_seen{};             // "" where others saw the books meanwhile, or nobody wanted them to
};

}  // namespace maxlat::npt
