// SPDX-License-Identifier: MIT
//
// From the books of all CPUs to a phase of the result: its facts, its snapshots while the loops run, its status at the
// end, and whether the books balance.
#pragma once

#include <maxlat/base/clock.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/npt/measure.hpp>
#include <string>
#include <vector>

#include "cpu_run.hpp"

namespace maxlat::npt {

using Runs = std::vector<const CpuRun*>;

// What is known before the first sample.
core::Phase phase_before(const Options& options, const base::CounterClock& clock);

// A phase of runs under way. `before` is phase_before()'s.
core::Phase phase_snapshot(const core::Phase& before, const Options& options, const base::CounterClock& clock,
                           const Runs& runs, double elapsed_s);

// Sum of buckets = samples, and sum of gaps = time watched; the loop counted both without the histogram. ERRORS: they
// are not equal (exit status 3).
core::Status check_books(const CpuRun& run);

// The end. ERRORS: check_books().
core::Result<Measurement> measurement_of(const Options& options, const base::CounterClock& clock, core::Phase before,
                                         const Runs& runs, const LoopCost& cost);

}  // namespace maxlat::npt
