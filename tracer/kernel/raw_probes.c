// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Contract: raw_probes.h. Runs in any context and is built without ftrace's own hooks: as probes.c. */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>

#include <maxlat/kernel/kernel_versions.h>
#include <maxlat/ring/record_write.h>

#include "dispatch.h"
#include "raw_probes.h"

/* Preemption is off. */
static noinline void record(u32 id, const u64 *values, unsigned int count)
{
	unsigned int sessions = trace_sessions_of_raw(id);

	for (; sessions; sessions &= sessions - 1) {
		const struct maxlat_ring *ring = trace_ring_of(__ffs(sessions));
		struct maxlat_ring_record slot;
		unsigned int i;

		if (!maxlat_ring_record_begin(MAXLAT_RING_THREAD, ring, id, count * sizeof(u64), &slot))
			continue;
		for (i = 0; i < count; i++) /* WRITE_ONCE: no call of memcpy(), which can be probed */
			WRITE_ONCE(((u64 *)slot.payload)[i], values[i]);
		maxlat_ring_record_end(MAXLAT_RING_THREAD, ring, &slot);
	}
}

#define PARAMETERS_1 u64 a0
#define PARAMETERS_2 PARAMETERS_1, u64 a1
#define PARAMETERS_3 PARAMETERS_2, u64 a2
#define PARAMETERS_4 PARAMETERS_3, u64 a3
#define PARAMETERS_5 PARAMETERS_4, u64 a4
#define PARAMETERS_6 PARAMETERS_5, u64 a5
#define PARAMETERS_7 PARAMETERS_6, u64 a6
#define PARAMETERS_8 PARAMETERS_7, u64 a7
#define PARAMETERS_9 PARAMETERS_8, u64 a8
#define PARAMETERS_10 PARAMETERS_9, u64 a9
#define PARAMETERS_11 PARAMETERS_10, u64 a10
#define PARAMETERS_12 PARAMETERS_11, u64 a11
#define VALUES_1 a0
#define VALUES_2 VALUES_1, a1
#define VALUES_3 VALUES_2, a2
#define VALUES_4 VALUES_3, a3
#define VALUES_5 VALUES_4, a4
#define VALUES_6 VALUES_5, a5
#define VALUES_7 VALUES_6, a6
#define VALUES_8 VALUES_7, a7
#define VALUES_9 VALUES_8, a8
#define VALUES_10 VALUES_9, a9
#define VALUES_11 VALUES_10, a10
#define VALUES_12 VALUES_11, a11

#define RAW_PROBE(count)                                                      \
	static void raw_probe_##count(void *event, PARAMETERS_##count)        \
	{                                                                     \
		const u64 values[] = { VALUES_##count };                      \
                                                                              \
		maxlat_probe_begin();                                         \
		record((uintptr_t)event, values, count);                      \
		maxlat_probe_end();                                           \
	}

static void raw_probe_0(void *event)
{
	maxlat_probe_begin();
	record((uintptr_t)event, NULL, 0);
	maxlat_probe_end();
}

RAW_PROBE(1)
RAW_PROBE(2)
RAW_PROBE(3)
RAW_PROBE(4)
RAW_PROBE(5)
RAW_PROBE(6)
RAW_PROBE(7)
RAW_PROBE(8)
RAW_PROBE(9)
RAW_PROBE(10)
RAW_PROBE(11)
RAW_PROBE(12)

void *trace_raw_probe(u32 arguments)
{
	static void *const probes[MAXLAT_TRACE_RAW_ARGUMENTS + 1] = {
		raw_probe_0, raw_probe_1, raw_probe_2, raw_probe_3, raw_probe_4, raw_probe_5, raw_probe_6,
		raw_probe_7, raw_probe_8, raw_probe_9, raw_probe_10, raw_probe_11, raw_probe_12,
	};

	if (IS_ENABLED(CONFIG_CFI_CLANG) || IS_ENABLED(CONFIG_CFI)) /* its newer name */
		return NULL;
	return probes[arguments];
}

int trace_function_called(struct kprobe *kprobe, struct pt_regs *registers)
{
	const struct trace_function *function = container_of(kprobe, struct trace_function, kprobe);
	u64 values[1 + MAXLAT_TRACE_FUNCTION_ARGUMENTS];
	unsigned int i;

	/* As tracepoints do: for a CPU that is going, nobody who stops a session waits. */
	if (!cpu_online(raw_smp_processor_id()))
		return 0;
	values[0] = *(const unsigned long *)registers->sp;
	for (i = 0; i < function->arguments; i++)
		values[1 + i] = regs_get_kernel_argument(registers, i);
	record(function->id, values, 1 + function->arguments);
	return 0;
}
NOKPROBE_SYMBOL(trace_function_called);
