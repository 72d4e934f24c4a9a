/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The interprocessor interrupt of Desnoyers 2012, Algorithm 6, lines 3 to 5, in the kernel. Contract: promote.h. */
#include <linux/smp.h>
#include <maxlat/ring/promote.h>

static void execute_barrier(void* nothing) {
  (void)nothing;
  smp_mb();
}

bool maxlat_ring_register_for_promotion(void) {
  return true;
}

/* REQUIRES: interrupts are on. */
bool maxlat_ring_promote(void) {
  smp_mb(); /* [M2], as in promote.c */
  smp_call_function(execute_barrier, NULL, 1);
  smp_mb(); /* [M2] */
  return true;
}
