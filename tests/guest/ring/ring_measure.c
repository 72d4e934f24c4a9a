// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Contract: ring_measure.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/printk.h>
#include <linux/sort.h>

#include "ring_measure.h"

u64 ring_taken[RING_MEASURED_EVENTS];

static int compare(const void *one, const void *other)
{
	const u64 a = *(const u64 *)one, b = *(const u64 *)other;

	return a < b ? -1 : a > b;
}

void ring_measure_sort(void)
{
	sort(ring_taken, RING_MEASURED_EVENTS, sizeof(ring_taken[0]), compare, NULL);
}

u64 ring_measure_nothing(void)
{
	RING_MEASURE(barrier());
	return ring_taken[RING_MEASURED_EVENTS / 2];
}

void ring_measure_tell(const char *name, u64 nothing)
{
	pr_info("costs: %s p50 %llu max %llu\n", name, ring_taken[RING_MEASURED_EVENTS / 2] - nothing,
		ring_taken[RING_MEASURED_EVENTS - 1] - nothing);
}
