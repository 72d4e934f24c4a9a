/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A session: which events of which CPUs, into which rings. One for each open descriptor.
 *
 * LOCKS  A session's `lock` is around every ioctl. The control lock, inside of it, is around what sessions share: who
 *   uses which event, and the tables that probes look at. mmap(2) and the look for something new take none, because
 *   copies from and to user space under `lock` may wait for what mmap(2) holds; nor do probes. They need `rings` only:
 *   written once, whole, before the first probe can see them, and freed with the descriptor, when no mapping has it and
 *   the last probe has left (tracepoint_synchronize_unregister()).
 */
#ifndef TRACE_SESSION_H
#define TRACE_SESSION_H

#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <maxlat/ring/read.h>

#include <maxlat/trace/kernel/kernel_abi.h>

#include "delivery.h"

/* One CPU's. The writers' view is at the front, in a line of its own. */
struct trace_ring {
	struct maxlat_ring ring;
	struct maxlat_ring_reader reader;
	struct maxlat_ring_view in_hand; /* bytes are null: none */
	void *memory;
	u64 seen; /* how far it was written at the last look (delivery.c) */
};

enum trace_state { TRACE_NEW, TRACE_RUNNING, TRACE_STOPPED };

struct trace_session {
	struct mutex lock;
	enum trace_state state;
	unsigned int slot; /* below MAXLAT_TRACE_SESSIONS; no other session has it */
	u64 events;	   /* a bit each */
	DECLARE_BITMAP(raw_events, MAXLAT_TRACE_RAW_EVENTS); /* by id - MAXLAT_TRACE_FIRST_RAW; their probes are attached */
	u64 ring_bytes;
	struct trace_ring **rings; /* one for each CPU that is traced; null elsewhere */
	struct trace_delivery delivery;
};

/**
 * trace_session_new() - a session with no event yet
 *
 * Return: the session, or an ERR_PTR: -EMFILE, there are MAXLAT_TRACE_SESSIONS already; -ENOMEM.
 */
struct trace_session *trace_session_new(void);

/**
 * trace_session_add() - one more event, which the table does not have
 * @session: new
 * @request: which; its id is answered
 *
 * Context: process; the session's lock is held.
 * Return: 0 or a negative error: that of trace_raw_use().
 */
int trace_session_add(struct trace_session *session, struct maxlat_trace_add *request);

/**
 * trace_session_start() - makes the rings and attaches the probes
 * @session: new
 * @request: what is asked for; its ring_bytes is answered
 * @cpus: which CPUs
 *
 * Context: process; the session's lock is held.
 * Return: 0 or a negative error; then nothing records. The session is still new, or stopped: a probe could not be
 * attached.
 */
int trace_session_start(struct trace_session *session, struct maxlat_trace_start *request, const struct cpumask *cpus);

/**
 * trace_session_stop() - detaches the probes, waits for those that are inside, ends the rings
 * @session: running
 *
 * Context: process; the session's lock is held.
 */
void trace_session_stop(struct trace_session *session);

/**
 * trace_session_free() - stops it if it runs, and frees its rings
 * @session: no descriptor and no mapping has it any more
 */
void trace_session_free(struct trace_session *session);

/**
 * trace_session_ring() - the ring of a CPU
 * @session: any
 * @cpu: any number
 *
 * Return: the ring, or NULL: there is no such CPU, or it is not traced.
 */
struct trace_ring *trace_session_ring(const struct trace_session *session, u64 cpu);

#endif
