// SPDX-License-Identifier: MIT
//
// cyclictest's results, read: its --json file, and the status lines it prints on SIGUSR1. Pure functions of text.
//
// What its JSON has and has not: per thread the histogram (1 us buckets, truncated downwards; 1 ns with -N), cycles,
// min, max, avg and the CPU. Samples beyond the histogram are in `cycles` but in no bucket, so overflow = cycles - sum
// of buckets; their values are lost but for the maximum.
//
// A thread that was never woken took no sample: its cycles are 0 and its avg is "-nan". Its CPU is there, with none.
//
// ERRORS: truncated, not JSON, not cyclictest's, no thread, a thread without a histogram or without a CPU number, none
// with a sample, more in the buckets than cycles: each an Error that says which.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/import/rt_tests_head.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::importing {  // "import" means something to C++

struct CyclictestReport : RtTestsHead {
  std::vector<core::CpuResult> per_cpu;  // by CPU number, without exposure and timeline
  std::string no_sample;                 // "the thread on CPU 1 took no sample"; empty: each took some
};

core::Result<CyclictestReport> parse_cyclictest_json(std::string_view text);

// The time that a thread's samples account for. A cycle is one interval of waiting for its timer, and one more for each
// timer that fell due during a late sample, since cyclictest skips those. The rest of the time that passed was spent in
// a wait that had not ended when cyclictest did; no figure of cyclictest includes it.
double seconds_accounted_for(const core::CpuResult& cpu, double interval_ns);

// The running maximum of each thread from the status blocks that SIGUSR1 makes cyclictest print on standard error; by
// thread index. `steps`, ascending, says which step each block is of. A step without a block has the maximum of the one
// before it, 0 before the first. Empty when there is no whole block.
std::vector<core::Timeline> parse_status_blocks(std::string_view text, double step_s, const std::vector<size_t>& steps);

}  // namespace maxlat::importing
