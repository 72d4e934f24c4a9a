// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The sampling loop: reads the counter in pairs, as fast as it can, with interrupts off. Whatever makes two reads far
 * apart was not the kernel: firmware (SMI), an NMI or machine check, the hypervisor, or the hardware itself.
 *
 * The step is npt's own (base/gap_meter.h): a gap is filed while the next read is in flight. Anything that costs more
 * (reading the SMI counter, which a hypervisor may trap) happens only for a gap above the threshold; then the meter is
 * closed and opened anew behind it, so that the tool never reports its own bookkeeping as a gap.
 */
#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/string.h>

#include <maxlat/base/gap_meter.h>
#include <maxlat/kernel/counts.h>

#include "sampler.h"

static void hwlat_look_at_counts(struct hwlat_sampler *s)
{
	if (s->counts_smi)
		maxlat_read_smi_count(&s->smi_seen);
	s->nmi_seen = maxlat_nmi_count();
}

/* Adds what was counted since the last look to the header's totals. */
static void hwlat_account_counts(struct hwlat_sampler *s, u64 smi_before, u32 nmi_before)
{
	struct maxlat_hwlat_cpu *header = hwlat_header(s);

	WRITE_ONCE(header->smi_watched, header->smi_watched + (s->smi_seen - smi_before));
	WRITE_ONCE(header->nmi_watched, header->nmi_watched + (u32)(s->nmi_seen - nmi_before));
}

/* Writes one record of a gap that ended at `now`. */
static noinline void hwlat_record_gap(struct hwlat_sampler *s, u64 inner, u64 outer, u64 now)
{
	struct maxlat_hwlat_cpu *header = hwlat_header(s);
	const u64 sequence = header->records + 1;
	struct maxlat_hwlat_record *record = &hwlat_records(s)[(sequence - 1) % MAXLAT_HWLAT_RECORDS];
	const u64 smi_before = s->smi_seen;
	const u32 nmi_before = s->nmi_seen;

	hwlat_look_at_counts(s);
	WRITE_ONCE(record->sequence, 0); /* (a) */
	smp_wmb(); /* a before the members: without it a reader could take new members for the old record */
	record->time_ns = s->width_began_ns + maxlat_ticks_to_ns(s->ratio, now - s->width_began_ticks);
	record->counter = now;
	record->inner_ns = maxlat_ticks_to_ns(s->ratio, inner);
	record->outer_ns = maxlat_ticks_to_ns(s->ratio, outer);
	record->smi_before = smi_before;
	record->smi_after = s->smi_seen;
	record->window = header->windows;
	record->nmi_before = nmi_before;
	record->nmi_after = s->nmi_seen;
	record->cpu = s->cpu;
	smp_store_release(&record->sequence, sequence); /* (b) after the members */
	smp_store_release(&header->records, sequence);  /* (c) after (b): whoever sees the number finds the record */

	hwlat_account_counts(s, smi_before, nmi_before);
	WRITE_ONCE(header->gaps, sequence);
	if (inner > header->max_inner_ticks)
		WRITE_ONCE(header->max_inner_ticks, inner);
	if (outer > header->max_outer_ticks)
		WRITE_ONCE(header->max_outer_ticks, outer);
}

static __always_inline void hwlat_open_meter(struct maxlat_gap_meter *meter, u64 first, u64 second, u64 rare_above,
					     u64 end)
{
	maxlat_gap_start(meter, first, second);
	meter->rare_above = rare_above;
	meter->block_end = end;
}

/* `max` is the largest gap of a width. Outside the watched time, once a width. */
static void hwlat_note_second(struct hwlat_sampler *s, u64 max)
{
	const u64 number = div_u64(s->width_began_ns - s->starts_ns, NSEC_PER_SEC) + 1;
	struct maxlat_hwlat_second *second = &hwlat_seconds(s)[(number - 1) % MAXLAT_HWLAT_SECONDS];

	if (second->number != number) {
		WRITE_ONCE(second->number, 0);
		smp_wmb(); /* as (a) */
		WRITE_ONCE(second->max_ticks, max);
		smp_store_release(&second->number, number); /* as (b) */
	} else if (max > second->max_ticks) {
		WRITE_ONCE(second->max_ticks, max);
	}
}

/* From the first read to the last: reads in pairs, and files the gap from each second read to the next. Returns the
 * largest. */
static u64 hwlat_watch_until(struct hwlat_sampler *s, u64 began, u64 end)
{
	struct maxlat_hwlat_cpu *header = hwlat_header(s);
	struct maxlat_histogram *histogram = hwlat_histogram(s);
	const u64 threshold = min(s->threshold_ticks, MAXLAT_GAP_RARE_MAX);
	struct maxlat_gap_meter meter;
	u64 max = 0;
	u64 first = maxlat_counter_fenced();
	u64 second = maxlat_counter_fenced();

	hwlat_open_meter(&meter, began, second, min(max, threshold), end);
	for (;;) {
		if (maxlat_gap_is_rare(&meter)) {
			const u64 gap = meter.pending;

			max = max(max, gap);
			meter.rare_above = min(max, threshold);
			if (gap > threshold || second >= end) {
				maxlat_gap_finish(&meter, histogram, max);
				WRITE_ONCE(header->exposure_ticks, header->exposure_ticks + (second - meter.first));
				if (gap > threshold)
					hwlat_record_gap(s, second - first, gap - (second - first), second);
				if (second >= end)
					return max;
				began = maxlat_counter_fenced();
				WRITE_ONCE(header->blind_ticks, header->blind_ticks + (began - second));
				first = maxlat_counter_fenced();
				second = maxlat_counter_fenced();
				hwlat_open_meter(&meter, began, second, min(max, threshold), end);
				continue;
			}
		}
		first = maxlat_counter_fenced();
		second = maxlat_counter_fenced();
		maxlat_gap_step(&meter, histogram, second);
	}
}

void hwlat_sample_width(struct hwlat_sampler *s)
{
	struct maxlat_hwlat_cpu *header = hwlat_header(s);
	u64 smi_before, max;
	u32 nmi_before;

	s->width_began_ns = ktime_get_ns();
	hwlat_look_at_counts(s);
	if (header->windows == 0) {
		header->smi_first = s->smi_seen;
		header->first_ns = s->width_began_ns;
	}
	WRITE_ONCE(header->last_ns, s->width_began_ns);
	WRITE_ONCE(header->windows, header->windows + 1);

	s->width_began_ticks = maxlat_counter_fenced();
	max = hwlat_watch_until(s, s->width_began_ticks, s->width_began_ticks + s->width_ticks);

	smi_before = s->smi_seen;
	nmi_before = s->nmi_seen;
	hwlat_look_at_counts(s); /* what came since the last record made no gap above the threshold */
	hwlat_account_counts(s, smi_before, nmi_before);
	WRITE_ONCE(header->smi_last, s->smi_seen);
	hwlat_note_second(s, max);
}

void hwlat_sampler_reset(struct hwlat_sampler *s, u64 width_ns, u64 threshold_ns, u64 starts_ns)
{
	struct maxlat_hwlat_cpu *header = hwlat_header(s);

	memset(s->region, 0, HWLAT_REGION_BYTES);
	header->magic = MAXLAT_HWLAT_CPU_MAGIC;
	header->abi_version = MAXLAT_HWLAT_ABI_VERSION;
	header->cpu = s->cpu;
	header->state = MAXLAT_HWLAT_CPU_OFFLINE; /* until its thread says otherwise */
	maxlat_histogram_init(hwlat_histogram(s));
	s->width_ticks = maxlat_ns_to_ticks(s->ratio, width_ns);
	s->threshold_ticks = maxlat_ns_to_ticks(s->ratio, threshold_ns);
	s->starts_ns = starts_ns;
}
