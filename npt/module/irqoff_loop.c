// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * npt's loop inside the kernel, interrupts off: the same step (base/gap_meter.h), the same fenced read, no system call
 * and no probe in it. What it adds to npt in user space is the certainty that no interrupt came.
 */
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/nmi.h>
#include <linux/smp.h>

#include <maxlat/base/counter.h>
#include <maxlat/base/gap_meter.h>
#include <maxlat/kernel/counts.h>

#include "irqoff.h"

void irqoff_run_loop(struct maxlat_irqoff_loop *loop, struct maxlat_histogram *histogram)
{
	const u64 khz = maxlat_counter_khz();
	const u64 max_samples = loop->max_samples ?: U64_MAX;
	const u64 ticks = (u64)(((maxlat_u128)loop->duration_ns * ((khz << 32) / 1000000)) >> 32);
	struct maxlat_gap_meter meter;
	u64 samples = 1, max = 0, max_at = 0, smi_before = 0, smi_after = 0, first, end;
	unsigned long flags;
	u32 nmi_before;

	local_irq_save(flags);
	loop->cpu = raw_smp_processor_id();
	maxlat_read_smi_count(&smi_before);
	nmi_before = maxlat_nmi_count();
	first = maxlat_counter_fenced();
	end = first + ticks;
	maxlat_gap_start(&meter, first, maxlat_counter_fenced());
	for (;;) {
		if (maxlat_gap_is_rare(&meter)) {
			if (meter.pending > max) {
				max = meter.pending;
				max_at = meter.previous;
			}
			meter.rare_above = min(max, MAXLAT_GAP_RARE_MAX);
			meter.block_end = end;
			/* a gap without a bucket is longer than the loop may last, and ends it: finish() files it */
			if (meter.previous >= end)
				break;
		}
		if (samples >= max_samples)
			break;
		maxlat_gap_step(&meter, histogram, maxlat_counter_fenced());
		samples++;
	}
	maxlat_gap_finish(&meter, histogram, max);
	loop->nmi_count = maxlat_nmi_count() - nmi_before;
	maxlat_read_smi_count(&smi_after);
	touch_nmi_watchdog();
	local_irq_restore(flags);

	loop->samples = samples;
	loop->watched_ticks = meter.previous - meter.first;
	loop->max_ticks = max;
	loop->max_at = max_at;
	loop->counter_khz = khz;
	loop->smi_count = smi_after - smi_before;
}
