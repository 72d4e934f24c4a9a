/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * How many instructions something takes. NEEDS exact mode, where the counter counts instructions. What the two counter
 * reads take themselves is measured first, and taken off.
 */
#ifndef RING_MEASURE_H
#define RING_MEASURE_H

#include <linux/irqflags.h>
#include <linux/types.h>
#include <asm/msr.h>
#include <asm/tsc.h> /* rdtsc(), before Linux 6.16 in msr.h */

#define RING_MEASURED_EVENTS 1000

/* Of the last measurement, sorted. */
extern u64 ring_taken[RING_MEASURED_EVENTS];

void ring_measure_sort(void);

/* Runs `code` so often, with interrupts off; `event` is its number. Leaves in ring_taken[] how many instructions each
 * took. */
#define RING_MEASURE(code)                                                                                             \
	do {                                                                                                           \
		unsigned long flags;                                                                                   \
		unsigned int event;                                                                                    \
                                                                                                                       \
		local_irq_save(flags);                                                                                 \
		for (event = 0; event < RING_MEASURED_EVENTS; event++) {                                               \
			const u64 begin = rdtsc();                                                                     \
                                                                                                                       \
			barrier();                                                                                     \
			code;                                                                                          \
			barrier();                                                                                     \
			ring_taken[event] = rdtsc() - begin;                                                           \
		}                                                                                                      \
		local_irq_restore(flags);                                                                              \
		ring_measure_sort();                                                                                   \
	} while (0)

/* RETURNS: what a measurement of nothing gives. */
u64 ring_measure_nothing(void);

/* Prints "costs: NAME p50 N max N". `nothing` is taken off. */
void ring_measure_tell(const char *name, u64 nothing);

#endif
