// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Contract: machine_counts.h. */
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/limits.h>

#include "machine_counts.h"

DEFINE_PER_CPU(struct trace_counts, trace_counts_seen);
bool trace_counts_smi __read_mostly;

void trace_counts_find(void)
{
	u64 count;

	trace_counts_smi = maxlat_read_smi_count(&count);
}

void trace_counts_forget(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu(trace_counts_seen, cpu).nmi, U64_MAX); /* which no count of 32 bits is */
}
