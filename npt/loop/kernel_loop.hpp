// SPDX-License-Identifier: MIT
//
// The measurement with the module's loop: the same books as run_cpu() keeps, filled piece by piece from inside the
// kernel.
//
// A piece keeps interrupts off for at most kInterruptsOffStretch_ns. The histogram grows in the kernel and is copied
// once a second, for snapshots, and at the end. Of each piece the largest gap is known with its time, so the outliers
// are the largest gaps of the largest pieces.
//
// `run_piece` is IrqoffDevice::loop(), a script in tests: int(maxlat_irqoff_loop&), 0 or errno.
#pragma once

#include <algorithm>
#include <cerrno>

#include "cpu_run.hpp"
#include "irqoff_device.hpp"

namespace maxlat::npt {

template <class RunPiece, class Counter, class SleepFor>
void run_cpu_in_kernel(RunPiece run_piece, Counter counter, SleepFor sleep_for, const Options& options,
                       const base::CounterClock& clock, CpuRun& run) {
  const auto histogram = reinterpret_cast<uintptr_t>(&run.histogram.raw());
  const uint64_t shortest = MAXLAT_IRQOFF_MIN_LOOP_NS;
  const uint64_t stretch = clock.to_ticks(kInterruptsOffStretch_ns);
  const core::RunQueueWait wait;
  if (options.rest_ns > 0) sleep_for(options.rest_ns);
  const ThreadUsage before = ThreadUsage::now(wait);
  run.interrupts_enabled = false;
  run.start_monotonic_ns = base::monotonic_ns();
  run.journal.begin(counter.read());
  uint64_t remaining = options.loops == 0 ? UINT64_MAX : options.loops;
  uint64_t copied_in_step_until = 0;
  for (;;) {
    const uint64_t now = counter.read();
    const core::Journal::Limits limits = run.journal.look(0, now);
    if (limits.leave()) {
      if (!goes_on(run.journal.why())) break;
      rest_until_its_end(counter, sleep_for, clock, run.journal);
      run.journal.resume();
      continue;
    }
    maxlat_irqoff_loop piece{};
    piece.size = sizeof piece;
    piece.duration_ns = std::max(clock.to_ns(std::min(stretch, limits.block_end - now)), shortest);
    piece.max_samples = remaining == UINT64_MAX ? 0 : remaining;
    piece.histogram = run.journal.step_end() == copied_in_step_until ? 0 : histogram;
    run.kernel_loop_error = run_piece(piece);
    if (run.kernel_loop_error == EINTR) continue;
    if (run.kernel_loop_error != 0) break;
    copied_in_step_until = run.journal.step_end();
    run.samples += piece.samples;
    run.exposure_ticks += piece.watched_ticks;
    run.end_ticks = counter.read();
    remaining -= std::min<uint64_t>(piece.samples, remaining);
    if (run.journal.look(piece.max_ticks, piece.max_at).leave() && !goes_on(run.journal.why())) break;
    if (remaining == 0) break;
  }
  if (run.kernel_loop_error == 0 || run.kernel_loop_error == EINTR) {
    maxlat_irqoff_loop last{};
    last.size = sizeof last;
    last.flags = MAXLAT_IRQOFF_LOOP_ONLY_COPY;
    last.histogram = histogram;
    do run.kernel_loop_error = run_piece(last);
    while (run.kernel_loop_error == EINTR);
  }
  run.why = run.journal.why();
  run.why_left = run.journal.why_left();
  enter(before, ThreadUsage::now(wait), run);
}

}  // namespace maxlat::npt
