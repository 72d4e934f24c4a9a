// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Contract: events.h. */
#include <linux/bits.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "events.h"
#include "ipi_hooks.h"
#include "probes.h"

static struct event {
	struct tracepoint *tracepoint;
	unsigned int users; /* sessions */
} events[MAXLAT_KERNEL_EVENT_COUNT]; /* by id - 1 */

static unsigned long hidden;
module_param(hidden, ulong, 0444);
MODULE_PARM_DESC(hidden, "events that this kernel is to lack, a bit each: for tests of who reads");

static const char *tracepoint_of(unsigned int i)
{
	return i + 1 == MAXLAT_KERNEL_machine_counts ? "local_timer_entry" : trace_probes[i].name;
}

static void match(struct tracepoint *tracepoint, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (strcmp(tracepoint->name, tracepoint_of(i)) == 0)
			events[i].tracepoint = tracepoint;
	}
}

void trace_events_find(void)
{
	unsigned int i;

	for_each_kernel_tracepoint(match, NULL);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (!events[i].tracepoint)
			trace_ipi_hooks_find(i + 1);
	}
}

u64 trace_events_known(void)
{
	u64 known = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (events[i].tracepoint || trace_ipi_hooks_known(i + 1))
			known |= BIT_ULL(i);
	}
	return known & ~hidden;
}

static void *id_of(unsigned int i)
{
	return (void *)(uintptr_t)(i + 1);
}

static int attach(unsigned int i)
{
	if (!events[i].tracepoint)
		return trace_ipi_hooks_set(i + 1);
	return tracepoint_probe_register(events[i].tracepoint, trace_probes[i].function, id_of(i));
}

static void detach(unsigned int i)
{
	if (!events[i].tracepoint)
		trace_ipi_hooks_remove(i + 1);
	else
		tracepoint_probe_unregister(events[i].tracepoint, trace_probes[i].function, id_of(i));
}

int trace_events_use(u64 wanted)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (!(wanted & BIT_ULL(i)))
			continue;
		if (events[i].users == 0) {
			int error = attach(i);

			if (error) {
				trace_events_leave(wanted & (BIT_ULL(i) - 1));
				return error;
			}
		}
		events[i].users++;
	}
	return 0;
}

void trace_events_leave(u64 used)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if ((used & BIT_ULL(i)) && --events[i].users == 0)
			detach(i);
	}
}
