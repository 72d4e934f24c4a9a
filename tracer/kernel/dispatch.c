// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Contract: dispatch.h. */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>

#include "dispatch.h"
#include "session.h"

DEFINE_PER_CPU_ALIGNED(struct trace_cpu, trace_cpu);

static void set_bit_of(u8 *sessions, u8 bit, bool wanted)
{
	WRITE_ONCE(*sessions, wanted ? *sessions | bit : *sessions & ~bit);
}

/* Of all CPUs that the session has a ring for. */
static void set_bits(const struct trace_session *session, bool wanted)
{
	const u8 bit = BIT(session->slot);
	unsigned int cpu, id, raw;

	for_each_possible_cpu(cpu) {
		struct trace_cpu *const tables = &per_cpu(trace_cpu, cpu);

		if (!session->rings[cpu])
			continue;
		for (id = 1; id <= MAXLAT_KERNEL_EVENT_COUNT; id++) {
			if (session->events & BIT_ULL(id - 1))
				set_bit_of(&tables->sessions_of[id], bit, wanted);
		}
		for_each_set_bit(raw, session->raw_events, MAXLAT_TRACE_RAW_EVENTS)
			set_bit_of(&tables->sessions_of_raw[raw], bit, wanted);
	}
}

void trace_dispatch_add(const struct trace_session *session)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (session->rings[cpu])
			WRITE_ONCE(per_cpu(trace_cpu, cpu).rings[session->slot], &session->rings[cpu]->ring);
	}
	smp_wmb(); /* the rings before the bits: x86 loads them in that order */
	set_bits(session, true);
}

void trace_dispatch_remove(const struct trace_session *session)
{
	set_bits(session, false);
}
