// SPDX-License-Identifier: MIT
//
// The measured loop: base/gap_meter.h with a counter, a probe and a journal.
//
// One call is one segment: a stretch of gaps without a hole. It ends when the loop count is reached or the journal says
// so (duration over, stop asked for, break limit, time to rest). Nothing in here but the counter's own read can enter
// the kernel.
//
// The Probe stands inside the measured interval, between the read and the next one: what an arm's tracepoint costs
// appears in the gap. It is called once in each interval, with the number of samples so far, the last of them, and the
// counter at its end. NoProbe compiles to nothing, so the arm "none" is the bare loop; probe.hpp has the others.
//
// COST: counted by the test npt.loop_instructions, timed by bench/npt_loop_bench.
#pragma once

#include <maxlat/base/gap_meter.h>

#include <cstdint>
#include <maxlat/core/stats/journal.hpp>

namespace maxlat::npt {

struct NoProbe {
  void begin() const {}  // the uncounted loops are over
  void operator()(uint64_t /*count*/, uint64_t /*ticks*/, uint64_t /*now*/) const {}
};

struct Segment {
  uint64_t first = 0, last = 0;  // counter reads
  uint64_t samples = 0;          // counted in the loop, independently of the histogram
  uint64_t probes = 0;           // calls of the probe
};

// REQUIRES: loops > 0. noinline: the tests that count its instructions find it by its name.
template <class Counter, class Probe>
[[gnu::noinline]] Segment run_segment(Counter counter, Probe probe, maxlat_histogram* histogram, core::Journal* journal,
                                      uint64_t loops) {
  maxlat_gap_meter meter;
  const uint64_t first = counter.read();
  probe(0, 0, first);
  maxlat_gap_start(&meter, first, counter.read());
  uint64_t remaining = loops - 1;
  const uint64_t overflows_before = histogram->overflow_count;
  for (;;) {
    bool leave = false;
    while (maxlat_gap_is_rare(&meter)) {
      const core::Journal::Limits limits = journal->look(meter.pending, meter.previous);
      meter.rare_above = limits.rare_above;
      meter.block_end = limits.block_end;
      leave = limits.leave() || remaining == 0;
      if (MAXLAT_LIKELY(maxlat_histogram_in_range(meter.pending)) || leave) break;
      maxlat_gap_take_overflow(&meter, histogram, counter.read());
      --remaining;
    }
    if (MAXLAT_UNLIKELY(leave || remaining == 0)) break;
    probe(loops - remaining, meter.pending, meter.previous);
    --remaining;
    maxlat_gap_step(&meter, histogram, counter.read());
  }
  const uint64_t without_probe = histogram->overflow_count - overflows_before;
  maxlat_gap_finish(&meter, histogram, journal->max());
  return {first, meter.previous, loops - remaining, loops - remaining - without_probe};
}

// The yardstick: a loop that does nothing but read the counter.
template <class Counter>
[[gnu::noinline]] uint64_t run_bare_reads(Counter counter, uint64_t reads) {
  const uint64_t first = counter.read();
  uint64_t last = first;
  for (uint64_t i = 0; i < reads; ++i) last = counter.read();
  return last - first;
}

}  // namespace maxlat::npt
