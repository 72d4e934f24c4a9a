/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Which sessions want which event on this CPU, and where their rings are: the one thing that probes look at. Written
 * under the control lock (session.c), a bit at a time, from any CPU; read by probes with preemption off.
 *
 * A session's rings are in the tables of all its CPUs before its first bit is set. Its bits are cleared, and then every
 * probe that may have seen one is waited for (tracepoint_synchronize_unregister()), before its rings are touched.
 */
#ifndef TRACE_DISPATCH_H
#define TRACE_DISPATCH_H

#include <linux/build_bug.h>
#include <linux/percpu.h>

#include <maxlat/ring/layout.h>
#include <maxlat/trace/kernel/kernel_abi.h>

struct trace_session;

struct trace_cpu {
	const struct maxlat_ring *rings[MAXLAT_TRACE_SESSIONS];
	u8 sessions_of[MAXLAT_KERNEL_EVENT_COUNT + 1]; /* by id; a bit each, by the session's slot */
	u8 sessions_of_raw[MAXLAT_TRACE_RAW_EVENTS];   /* by id - MAXLAT_TRACE_FIRST_RAW */
};
static_assert(MAXLAT_TRACE_SESSIONS <= 8, "a bit each");

DECLARE_PER_CPU_ALIGNED(struct trace_cpu, trace_cpu);

/**
 * trace_sessions_of() - which sessions want an event on this CPU
 * @id: the event's
 *
 * Return: a bit each, by slot.
 */
static __always_inline unsigned int trace_sessions_of(u32 id)
{
	return this_cpu_read(trace_cpu.sessions_of[id]);
}

/**
 * trace_sessions_of_raw() - which sessions want a raw event on this CPU
 * @id: the event's
 *
 * Return: a bit each, by slot.
 */
static __always_inline unsigned int trace_sessions_of_raw(u32 id)
{
	return this_cpu_read(trace_cpu.sessions_of_raw[id - MAXLAT_TRACE_FIRST_RAW]);
}

/**
 * trace_ring_of() - the ring of a session on this CPU
 * @slot: of a session that wants an event here
 *
 * Return: the ring.
 */
static __always_inline const struct maxlat_ring *trace_ring_of(unsigned long slot)
{
	return this_cpu_read(trace_cpu.rings[slot]);
}

/**
 * trace_dispatch_add() - from now on probes write into the rings of a session
 * @session: its rings are made, its probes attached
 *
 * Context: process; the control lock is held.
 */
void trace_dispatch_add(const struct trace_session *session);

/**
 * trace_dispatch_remove() - from now on probes do not begin to; who is inside, is still
 * @session: one that was added
 *
 * Context: process; the control lock is held.
 */
void trace_dispatch_remove(const struct trace_session *session);

#endif
