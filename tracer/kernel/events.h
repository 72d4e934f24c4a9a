/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The kernel's side of an event: its tracepoint, which is looked for by name, because most are not exported; or a hook
 * of ftrace where the tracepoint is too new (ipi_hooks.h). A probe is attached as long as a session uses its event.
 */
#ifndef TRACE_EVENTS_H
#define TRACE_EVENTS_H

#include <linux/types.h>

/**
 * trace_events_find() - looks for the tracepoints, or what hooks can stand for them, once, when the module is loaded
 */
void trace_events_find(void);

/**
 * trace_events_known() - which events this kernel has
 *
 * Return: a bit for each, bit id - 1.
 */
u64 trace_events_known(void);

/**
 * trace_events_use() - attaches the probes of events that nobody used before
 * @events: a bit each, all of them known
 *
 * Context: process; the control lock is held.
 * Return: 0 or a negative error; then nothing is used more than before.
 */
int trace_events_use(u64 events);

/**
 * trace_events_leave() - detaches the probes of events that nobody uses any more
 * @events: as used
 *
 * Context: process; the control lock is held. Probes may still be inside:
 * tracepoint_synchronize_unregister() waits for them.
 */
void trace_events_leave(u64 events);

#endif
