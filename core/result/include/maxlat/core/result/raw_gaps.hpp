// SPDX-License-Identifier: MIT
//
// Every gap above a threshold, for those who do their own statistics: in the layout of sysjitter --raw, which other
// people's scripts read, and maxlat import, too.
//
// Results keep a histogram of all samples and the largest with their times. These are the times of all that are above
// the threshold, up to the room there is; what found none is counted and told.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <span>
#include <string>
#include <vector>

namespace maxlat::core {

struct RawGap {
  double end_ns = 0;  // since the start of the measurement
  double length_ns = 0;
};

struct RawGaps {
  unsigned cpu = 0;
  double ticks_per_ns = 0;  // of the counter; the layout tells cycles, too
  double threshold_ns = 0;
  double watched_s = 0;
  std::vector<RawGap> gaps{};  // in the order of time
  uint64_t not_kept = 0;       // there was no more room
};

// The whole file of one CPU.
std::string sysjitter_text(const RawGaps& raw);

// Whether that can be written, before a measurement. Nothing to ask of an empty name.
Status check_raw_files(const std::string& file, const CpuList& cpus);
// One for each CPU, whole or not at all. ERRORS: the first that cannot be written; the others are tried all the
// same.
Status write_raw_gaps(const std::string& file, std::span<const RawGaps> raw);

}  // namespace maxlat::core
