// SPDX-License-Identifier: MIT
//
// From the books of all CPUs to the result: what is known before them, snapshots while the loops run, and at the end,
// in one place, every phase with its facts, warnings and status, if the books balance.
//
// THREADS  the one that supervises. Of runs under way only what other threads may read (journal.hpp) is read.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/npt/measure.hpp>
#include <vector>

#include "cpu_run.hpp"
#include "ended_run.hpp"
#include "measurement_plan.hpp"

namespace maxlat::npt {

class Arm;

using Runs = std::vector<const CpuRun*>;

// What is known before the first sample. `has_own_cpu`: the thread that supervises has one that is not measured.
core::Phase phase_before(const MeasurementPlan& plan, bool has_own_cpu);

// A phase of runs under way. `before` is phase_before()'s.
core::Phase phase_snapshot(const core::Phase& before, const MeasurementPlan& plan, const Runs& runs, double elapsed_s);

// Sum of buckets = samples, and sum of gaps = time watched; the loop counted both without the histogram. ERRORS: they
// are not equal (exit status 3).
core::Status check_books(const CpuRun& run);

// The end. `arm` is finished for it, after the loops' own books were found to balance; null: there is none.
// ERRORS: check_books(); a loop in the kernel that failed.
core::Result<Measurement> measurement_of(const MeasurementPlan& plan, const core::Phase& before, const EndedRun& run,
                                         Arm* arm);

}  // namespace maxlat::npt
