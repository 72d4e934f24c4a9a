// SPDX-License-Identifier: MIT
//
// Calls that find nothing in the caches: one at a time, behind a flush of every cache line that the program has mapped:
// code, data, stacks, a session's memory. Desnoyers 2009 had the kernel flush all caches (wbinvd), Pohlack 2010 a
// program that wrote over them. Translations stay, here and there.
#pragma once

#include <cstdint>
#include <maxlat/base/clock.hpp>
#include <vector>

namespace maxlat::bench::papers {

// ns of each of `samples` calls run(1), sorted. What it takes to measure a call that does nothing is still in them.
// REQUIRES: all that run() needs is mapped.
std::vector<double> cold(void (*run)(uint64_t turns), unsigned samples, const base::CounterClock& clock);

// The harness's own part of each: the median over so many calls.
double cold_harness_ns(unsigned samples, const base::CounterClock& clock);

}  // namespace maxlat::bench::papers
