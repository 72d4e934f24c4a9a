/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A session: which events, into which rings. One for each open descriptor.
 *
 * LOCKS  `lock` around every ioctl. mmap(2) takes none, because copies from and to user space under `lock` may wait for
 *   what it holds; nor do probes. Both need `rings` only: written once, whole, before the first probe is attached, and
 *   freed with the descriptor, when no mapping has it and the last probe has left
 *   (tracepoint_synchronize_unregister()).
 */
#ifndef TRACE_SESSION_H
#define TRACE_SESSION_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <maxlat/ring/read.h>

#include <maxlat/trace/kernel_abi.h>

/* One CPU's. The writers' view is at the front, in a line of its own. */
struct trace_ring {
	struct maxlat_ring ring;
	struct maxlat_ring_reader reader;
	struct maxlat_ring_view in_hand; /* bytes are null: none */
	void *memory;
};

enum trace_state { TRACE_NEW, TRACE_RUNNING, TRACE_STOPPED };

struct trace_session {
	bool active; /* probes record: set when all are attached, cleared before the first goes, so that none is alone */
	struct mutex lock;
	enum trace_state state;
	u64 events;   /* whose probes are attached */
	u64 ring_bytes;
	struct trace_ring **rings; /* one for each possible CPU; null elsewhere */
};

/**
 * trace_session_start() - makes the rings and attaches the probes
 * @session: new
 * @request: what is asked for; its ring_bytes is answered
 *
 * Context: process; the session's lock is held.
 * Return: 0 or a negative error; then no probe is attached.
 */
int trace_session_start(struct trace_session *session, struct maxlat_trace_start *request);

/**
 * trace_session_stop() - detaches the probes, waits for those that are inside, ends the rings
 * @session: running
 *
 * Context: process; the session's lock is held.
 */
void trace_session_stop(struct trace_session *session);

/**
 * trace_session_flush() - closes the open packet of each CPU that is online
 * @session: running
 *
 * Context: process; the session's lock is held.
 */
void trace_session_flush(struct trace_session *session);

/**
 * trace_session_free() - stops it if it runs, and frees its rings
 * @session: no descriptor and no mapping has it any more
 */
void trace_session_free(struct trace_session *session);

/**
 * trace_session_ring() - the ring of a CPU
 * @session: one that was started
 * @cpu: any number
 *
 * Return: the ring, or NULL: there is no such CPU.
 */
struct trace_ring *trace_session_ring(const struct trace_session *session, u64 cpu);

#endif
