// SPDX-License-Identifier: MIT
//
// What the kernel did on one CPU over a whole run, summed up by class and name: what rtla osnoise's summary has of its
// own threads, of any meter's. Made by the room attribution/ from the kernel's events.
//
// An occurrence is one interrupt, softirq or timer function from its entry to its exit, or one stretch of a task from
// the switch to it to the switch away. Its time is its own: what interrupted it has the rest. All of it adds up:
//   watched_ns = undisturbed_ns + the ns of all rows
#pragma once

#include <cstdint>
#include <maxlat/core/result/accounting.hpp>
#include <maxlat/core/result/late_wakeup.hpp>
#include <string>
#include <vector>

namespace maxlat::core {

struct InterferenceRow {
  static constexpr const char* kOthers = "(others)";  // the name of what found no room, together

  TimeClass kind = TimeClass::task;
  std::string name{};  // as AccountedTime's, a task's without its number and priority
  uint64_t count = 0;  // at least one
  double ns = 0;
  double largest_ns = 0;  // of one occurrence
};

struct CpuInterference {
  unsigned cpu = 0;
  double watched_ns = 0;                // from the meter's start to its end
  double undisturbed_ns = 0;            // the meter's own thread had the CPU, or nobody
  std::vector<InterferenceRow> rows{};  // most time first
  std::vector<LateWakeup> wakeups{};    // the latest of a meter that is another program, latest first
};

// A table, each line behind `line_start`: at most so many rows, the others summed up in one.
std::string interference_text(const CpuInterference& of_cpu, size_t most_rows, const std::string& line_start);

}  // namespace maxlat::core
