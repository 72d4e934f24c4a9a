/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * How many SMIs and NMIs a CPU has had, looked at by a probe at each of its ticks: one read of a register (MSR 0x34,
 * where the processor has it), one of the kernel's own count, and two comparisons.
 */
#ifndef TRACE_MACHINE_COUNTS_H
#define TRACE_MACHINE_COUNTS_H

#include <linux/percpu.h>

#include <maxlat/kernel/counts.h>

struct trace_counts {
	u64 smi;
	u64 nmi;
};

DECLARE_PER_CPU(struct trace_counts, trace_counts_seen); /* at the CPU's last look */
extern bool trace_counts_smi;                            /* the processor counts them; as found at load */

/**
 * trace_counts_changed() - looks at this CPU's counts
 * @now: what they are
 *
 * Context: any, preemption off. Calls nothing that can be traced.
 * Return: whether one of them is another than at the last look, or this is the first one.
 */
static __always_inline bool trace_counts_changed(struct trace_counts *now)
{
	now->smi = trace_counts_smi ? maxlat_smi_count_untraced() : 0;
	now->nmi = maxlat_nmi_count();
	if (now->smi == this_cpu_read(trace_counts_seen.smi) && now->nmi == this_cpu_read(trace_counts_seen.nmi))
		return false;
	this_cpu_write(trace_counts_seen.smi, now->smi);
	this_cpu_write(trace_counts_seen.nmi, now->nmi);
	return true;
}

/**
 * trace_counts_find() - learns whether the processor counts SMIs
 *
 * Context: process; once, before all others.
 */
void trace_counts_find(void);

/**
 * trace_counts_forget() - each CPU's next look is its first one
 *
 * Context: process; a session that has the event has just begun, and needs something to count from. Others get one
 * record more.
 */
void trace_counts_forget(void);

#endif
