/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * One step of a latency loop: the gap between two reads of the counter is counted in a histogram, at hardly more
 * cost than the read alone.
 *
 * PROBLEM
 *   A loop that reads the counter and counts each gap measures its own counting, too. npt 1.01 counts in floating point
 *   and needs 20 ns a turn where the bare read needs 9.5: a stall shorter than that cannot be distinguished from its
 *   own work. The work cannot be left out of the gap, because the loop would be blind meanwhile. So it must be cheap.
 *
 * WHY IT IS HARD
 *   The number of instructions is not the problem: a dozen integer instructions overlap with a counter read (some 20 to
 *   40 cycles during which the core has nothing else to do). The problem is the dependence: the address of bucket[gap]
 *   is not known before the read has ended, so load, add and store begin only then, and the next (fenced) read waits
 *   for them.
 *
 * THE IDEA: DELAYED FILING
 *   File the PREVIOUS gap while the next read is in flight. Its value has long been known, so its bucket is loaded,
 *   counted and stored in the read's shadow:
 *
 *       read k   |--- in flight ---|                read k+1 |--- in flight ---|
 *                   file gap k-1    gap k = k-(k-1)             file gap k
 *
 *   Seen on a 2.6 GHz EPYC guest, per turn: bare lfence;rdtsc 18.4 ns, filed at once 22.3, delayed 19.6 (1.06 x);
 *   bare rdtsc 9.47 ns, filed at once 16.2, delayed 9.50.
 *
 * WHAT IS KEPT, AND WHERE
 *   In registers: the last read, the pending gap, min, the sum of squares (128 bit), and two limits. The sum needs
 *   no register: it telescopes to last read - first read, exactly. Max needs none: a gap above the rare limit takes
 *   the caller's rare path, which keeps it (and the outlier, with its time).
 *   Per turn the caller tests one combined condition, which is predicted well: a gap above `rare_above`, or a read
 *   at or past `block_end`.
 *
 * USE (C++ loops in npt and hwlat, the kernel module's thread, the tests with a scripted counter: all of them the same)
 *
 *       struct maxlat_gap_meter meter;                      a local; hand its address to nothing but these functions,
 *       uint64_t first = read_counter();                    all of which are inlined, or it will live in memory
 *       maxlat_gap_start(&meter, first, read_counter());    samples = 1, and it may be rare already
 *       loop: if (maxlat_gap_is_rare(&meter)) { rare path: look at meter.pending and meter.previous (the time of its
 *                                               end), set meter.rare_above and meter.block_end anew, maybe leave;
 *                                               a pending gap beyond the histogram's range: see _take_overflow }
 *             maxlat_gap_step(&meter, histogram, read_counter());    ++samples
 *       maxlat_gap_finish(&meter, histogram, max);
 *
 * ROLES and THREADS: one thread per meter and histogram; other threads may read the histogram's buckets meanwhile (they
 * lag by the one pending gap).
 *
 * INVARIANTS, watched by gap_meter_test.cpp with scripted counters
 *   (1) After finish(): sum of buckets + overflow_count = number of steps + 1; nothing is pending, nothing filed twice.
 *   (2) sum = last read - first read: no time between the two is outside of a gap.
 *   (3) A rare gap is seen by the rare path in the turn in which it ended, with previous = the counter at its end.
 *
 * COST: instructions per turn are counted by npt's instruction-count test. No call, no division, no floating point.
 * SOURCE: Beamonte 2015, Algorithm 1 (the loop), with another way of counting.
 */
#ifndef MAXLAT_BASE_GAP_METER_H
#define MAXLAT_BASE_GAP_METER_H

#include <maxlat/base/histogram.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest value that has a bucket: the upper bound of any rare_above, so that a gap without a bucket is always
 * rare. */
#define MAXLAT_GAP_RARE_MAX (((uint64_t)1 << MAXLAT_HISTOGRAM_RANGE_BITS) - 1)

struct maxlat_gap_meter {
  uint64_t first;      /* the read that opened it */
  uint64_t previous;   /* the last read */
  uint64_t pending;    /* the gap that ended at `previous`: seen, not yet filed */
  uint64_t min;        /* of the filed gaps */
  maxlat_u128 sum_sq;  /* of the filed gaps */
  uint64_t rare_above; /* gaps above take the rare path. REQUIRES: <= MAXLAT_GAP_RARE_MAX */
  uint64_t block_end;  /* reads at or past it take the rare path */
};

/* Opens with two reads, so that there is a pending gap from the start. Both limits at 0: the first turn is rare. */
MAXLAT_ALWAYS_INLINE void maxlat_gap_start(struct maxlat_gap_meter* meter, uint64_t first, uint64_t second) {
  meter->first = first;
  meter->previous = second;
  meter->pending = second - first;
  meter->min = ~(uint64_t)0;
  meter->sum_sq = 0;
  meter->rare_above = 0;
  meter->block_end = 0;
}

/* Moments of the pending gap. REQUIRES: not filed yet. */
MAXLAT_ALWAYS_INLINE void maxlat_gap_count_moments(struct maxlat_gap_meter* meter) {
  meter->min = meter->pending < meter->min ? meter->pending : meter->min;
  meter->sum_sq += (maxlat_u128)meter->pending * meter->pending;
}

/* Files the pending gap and makes the one that ends at `now` pending. REQUIRES: pending <= MAXLAT_GAP_RARE_MAX. */
MAXLAT_ALWAYS_INLINE void maxlat_gap_step(struct maxlat_gap_meter* meter, struct maxlat_histogram* histogram,
                                          uint64_t now) {
  /* Ties the filing behind the read in program order: the compiler may otherwise lift it above, out of its shadow. */
  __asm__ volatile("" : "+r"(meter->pending));
  maxlat_gap_count_moments(meter);
  maxlat_histogram_count_in_range(histogram, meter->pending);
  meter->pending = now - meter->previous;
  meter->previous = now;
}

MAXLAT_ALWAYS_INLINE int maxlat_gap_is_rare(const struct maxlat_gap_meter* meter) {
  return MAXLAT_UNLIKELY(meter->pending > meter->rare_above) || MAXLAT_UNLIKELY(meter->previous >= meter->block_end);
}

/*
 * When the pending gap has no bucket (366 s at 3 GHz, or a counter that jumped), the rare path files it here and opens
 * the next gap with a read of its own: `now` takes the place of the step that would have filed. That is one more
 * sample. REQUIRES: !maxlat_histogram_in_range(meter->pending).
 */
MAXLAT_ALWAYS_INLINE void maxlat_gap_take_overflow(struct maxlat_gap_meter* meter, struct maxlat_histogram* histogram,
                                                   uint64_t now) {
  maxlat_gap_count_moments(meter);
  maxlat_histogram_count_overflow(histogram, meter->pending, meter->previous);
  meter->pending = now - meter->previous;
  meter->previous = now;
}

/* Files the last pending gap and hands the moments to the histogram. `max` is what the rare paths have seen. */
static inline void maxlat_gap_finish(struct maxlat_gap_meter* meter, struct maxlat_histogram* histogram, uint64_t max) {
  struct maxlat_moments moments;
  maxlat_gap_count_moments(meter);
  if (maxlat_histogram_in_range(meter->pending))
    maxlat_histogram_count_in_range(histogram, meter->pending);
  else
    maxlat_histogram_count_overflow(histogram, meter->pending, meter->previous);
  moments.min = meter->min;
  moments.max = max;
  moments.sum = meter->previous - meter->first;
  moments.sum_sq = meter->sum_sq;
  maxlat_histogram_add_moments(histogram, &moments);
}

#ifdef __cplusplus
}
#endif
#endif
