/* SPDX-License-Identifier: MIT */
/*
 * What the kernel will do with base's C headers: include them from C11, without the standard library, and build a
 * sampling loop on them. That this file compiles (-std=c11 -Wpedantic -ffreestanding -Werror) is half of the test; the
 * other half, histogram_test.cpp, calls the loop.
 */
#include <maxlat/base/counter.h>
#include <maxlat/base/gap_meter.h>

uint64_t maxlat_test_kernel_style_loop(struct maxlat_histogram* histogram, uint64_t steps);

uint64_t maxlat_test_kernel_style_loop(struct maxlat_histogram* histogram, uint64_t steps) {
  struct maxlat_gap_meter meter;
  const uint64_t first = maxlat_counter_fenced();
  uint64_t max = 0;
  uint64_t i;
  maxlat_gap_start(&meter, first, maxlat_counter_fenced());
  meter.block_end = ~(uint64_t)0;
  for (i = 0; i < steps; i++) {
    if (maxlat_gap_is_rare(&meter)) {
      max = meter.pending;
      meter.rare_above = max < MAXLAT_GAP_RARE_MAX ? max : MAXLAT_GAP_RARE_MAX;
    }
    maxlat_gap_step(&meter, histogram, maxlat_counter_fenced());
  }
  if (meter.pending > max) max = meter.pending;
  maxlat_gap_finish(&meter, histogram, max);
  return meter.previous - meter.first;
}
