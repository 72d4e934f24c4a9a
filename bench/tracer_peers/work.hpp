// SPDX-License-Identifier: MIT
//
// What an arm is made to do between two looks at the counter. One source for both processes of the comparison, so that
// an arm in the second one is measured by the same machine code.
//
//   batch    kBatch bare counter reads, then kBatch events: the ticks of either, and those of kBatch turns of an empty
//            loop, the slower of one before and one after: whether another hyperthread ran on this core meanwhile
//   single   one event between lfence;rdtsc and rdtscp, warm: ticks of each of `samples`
//   cold     the same a millisecond apart, after 4 MiB of other memory were touched
//   first    the first event of each of `samples` new threads, which have called prepare_thread(), while the tracer's
//            code is warm, as it is where other threads trace: the calling thread traces the same event just before. So
//            it is what is new for a thread that costs here; cold code costs what "cold" shows. The harness warms what
//            is its own: its counter reads, its call through the pointer, the arm's function with a run of no events.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "arms.hpp"

namespace maxlat::bench {

inline constexpr std::uint64_t kBatch = 20'000;

enum class Work : std::uint32_t { batch, single, cold, first };
using Ticks = std::vector<std::uint64_t>;

// The first event of one new thread, which is prepared before `between` is called, and `run` with what is warm then.
std::uint64_t first_event(Arm::Run run, const std::function<void()>& between);
// 4 MiB of other memory are touched.
void flood();

// `after_thread` is called after each thread of Work::first has ended: its ring is taken.
Ticks perform(Arm::Run run, Work work, std::uint32_t samples, const std::function<void()>& after_thread = {});

void empty_loop(std::uint64_t n);

}  // namespace maxlat::bench
