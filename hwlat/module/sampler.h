/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * One CPU's region, and the loop that fills it.
 *
 * The region is the memory that user space maps (module_abi.h); it has one writer at a time: the sampling loop on its
 * own CPU. Everything that the loop needs is in struct hwlat_sampler, kernel memory, so that nothing a user can see or
 * map ever steers the loop.
 */
#ifndef MAXLAT_HWLAT_SAMPLER_H
#define MAXLAT_HWLAT_SAMPLER_H

#include <linux/types.h>

#include <maxlat/base/counter.h>
#include <maxlat/base/histogram.h>
#include <maxlat/hwlat/module_abi.h>

#define HWLAT_REGION_BYTES \
	PAGE_ALIGN(MAXLAT_HWLAT_RECORDS_AT + MAXLAT_HWLAT_RECORDS * sizeof(struct maxlat_hwlat_record))

struct hwlat_sampler {
	void *region; /* HWLAT_REGION_BYTES, vmalloc_user: zeroed, whole pages */
	unsigned int cpu;
	u64 width_ticks;
	u64 threshold_ticks;
	struct maxlat_counter_ratio ratio;
	bool counts_smi;
	u64 starts_ns; /* CLOCK_MONOTONIC: time 0 of the seconds */
	u64 smi_seen; /* the counters at the last look */
	u32 nmi_seen;
	u64 width_began_ns; /* the same instant on two clocks: turns a counter value into a time */
	u64 width_began_ticks;
};

/**
 * hwlat_header() - the head of a CPU's region
 * @s: the CPU
 *
 * Return: its counts and states, which user space reads.
 */
static inline struct maxlat_hwlat_cpu *hwlat_header(const struct hwlat_sampler *s)
{
	return s->region;
}

/**
 * hwlat_seconds() - the largest gap of each second
 * @s: the CPU
 *
 * Return: a ring of MAXLAT_HWLAT_SECONDS.
 */
static inline struct maxlat_hwlat_second *hwlat_seconds(const struct hwlat_sampler *s)
{
	return s->region + MAXLAT_HWLAT_SECONDS_AT;
}

/**
 * hwlat_histogram() - where every gap is counted
 * @s: the CPU
 *
 * Return: the histogram, in ticks.
 */
static inline struct maxlat_histogram *hwlat_histogram(const struct hwlat_sampler *s)
{
	return s->region + MAXLAT_HWLAT_HISTOGRAM_AT;
}

/**
 * hwlat_records() - the gaps above the threshold
 * @s: the CPU
 *
 * Return: a ring of MAXLAT_HWLAT_RECORDS.
 */
static inline struct maxlat_hwlat_record *hwlat_records(const struct hwlat_sampler *s)
{
	return s->region + MAXLAT_HWLAT_RECORDS_AT;
}

/**
 * hwlat_sampler_reset() - empties the region
 * @s: the CPU
 * @width_ns: how long one width lasts
 * @threshold_ns: a longer gap becomes a record
 * @starts_ns: the beginning of the first window, CLOCK_MONOTONIC
 *
 * Context: a task; no CPU samples into the region.
 */
void hwlat_sampler_reset(struct hwlat_sampler *s, u64 width_ns, u64 threshold_ns, u64 starts_ns);

/**
 * hwlat_sample_width() - samples for one width
 * @s: the CPU
 *
 * Context: interrupts off, on s->cpu. Keeps them off for s->width_ticks and one record more.
 */
void hwlat_sample_width(struct hwlat_sampler *s);

#endif
