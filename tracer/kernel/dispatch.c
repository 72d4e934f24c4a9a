// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Contract: dispatch.h. */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>

#include "dispatch.h"
#include "session.h"

DEFINE_PER_CPU_ALIGNED(struct trace_cpu, trace_cpu);

/* Of all CPUs that the session has a ring for. */
static void set_bits(const struct trace_session *session, bool wanted)
{
	const u8 bit = BIT(session->slot);
	unsigned int cpu, id;

	for_each_possible_cpu(cpu) {
		u8 *const sessions_of = per_cpu(trace_cpu, cpu).sessions_of;

		if (!session->rings[cpu])
			continue;
		for (id = 1; id <= MAXLAT_KERNEL_EVENT_COUNT; id++) {
			if (session->events & BIT_ULL(id - 1))
				WRITE_ONCE(sessions_of[id],
					   wanted ? sessions_of[id] | bit : sessions_of[id] & ~bit);
		}
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
