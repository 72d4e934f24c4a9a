// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Sessions: their rings, and when probes write there. Contract: session.h. */
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <maxlat/ring/switch.h>

#include "dispatch.h"
#include "events.h"
#include "machine_counts.h"
#include "raw_events.h"
#include "rings.h"
#include "session.h"

static DEFINE_MUTEX(control);
static unsigned long slots; /* taken, a bit each */

struct trace_session *trace_session_new(void)
{
	struct trace_session *session = kzalloc(sizeof(*session), GFP_KERNEL);

	if (!session)
		return ERR_PTR(-ENOMEM);
	mutex_init(&session->lock);
	trace_delivery_init(&session->delivery);
	mutex_lock(&control);
	session->slot = find_first_zero_bit(&slots, MAXLAT_TRACE_SESSIONS);
	if (session->slot < MAXLAT_TRACE_SESSIONS)
		__set_bit(session->slot, &slots);
	mutex_unlock(&control);
	if (session->slot < MAXLAT_TRACE_SESSIONS)
		return session;
	kfree(session);
	return ERR_PTR(-EMFILE);
}

int trace_session_add(struct trace_session *session, struct maxlat_trace_add *request)
{
	int raw;

	mutex_lock(&control);
	raw = trace_raw_use(request, session->raw_events);
	mutex_unlock(&control);
	if (raw < 0)
		return raw;
	request->id = MAXLAT_TRACE_FIRST_RAW + raw;
	return 0;
}

static bool has_events(const struct trace_session *session, const struct maxlat_trace_start *request)
{
	return request->events != 0 || !bitmap_empty(session->raw_events, MAXLAT_TRACE_RAW_EVENTS);
}

static bool is_possible(const struct maxlat_trace_start *request, const struct cpumask *cpus)
{
	return request->sub_buffer_bits >= 12 && request->sub_buffer_bits <= 22 && request->ring_bits >= 1 &&
	       request->ring_bits <= MAXLAT_RING_MAX_RING_BITS && request->overwrite <= 1 &&
	       request->period_ms <= MAXLAT_TRACE_MAX_PERIOD_MS && !cpumask_empty(cpus);
}

static int attach(struct trace_session *session)
{
	int error;

	mutex_lock(&control);
	error = trace_events_use(session->events);
	if (!error)
		trace_dispatch_add(session);
	if (!error && (session->events & BIT_ULL(MAXLAT_KERNEL_machine_counts - 1)))
		trace_counts_forget();
	mutex_unlock(&control);
	if (error) /* some were attached for a moment, and wrote nothing */
		tracepoint_synchronize_unregister();
	return error;
}

int trace_session_start(struct trace_session *session, struct maxlat_trace_start *request, const struct cpumask *cpus)
{
	struct trace_ring **rings;
	int error;

	if (!is_possible(request, cpus) || !has_events(session, request))
		return -EINVAL;
	if (request->events & ~trace_events_known())
		return -ENOENT;
	rings = trace_rings_make(request, cpus, &session->ring_bytes);
	if (IS_ERR(rings))
		return PTR_ERR(rings);
	session->events = request->events;
	smp_store_release(&session->rings, rings); /* whole, for mmap(2), which takes no lock; partner in device.c */
	error = attach(session);
	session->state = error ? TRACE_STOPPED : TRACE_RUNNING;
	if (!error)
		trace_delivery_start(&session->delivery, request->period_ms);
	request->ring_bytes = session->ring_bytes;
	return error;
}

/* No probe writes for it any more when this returns. */
static void detach(struct trace_session *session)
{
	mutex_lock(&control);
	if (session->state == TRACE_RUNNING) {
		trace_dispatch_remove(session);
		trace_events_leave(session->events);
	}
	trace_raw_leave(session->raw_events);
	mutex_unlock(&control);
	tracepoint_synchronize_unregister();
	mutex_lock(&control);
	trace_raw_forget(session->raw_events); /* another session may have their ids now */
	mutex_unlock(&control);
}

void trace_session_stop(struct trace_session *session)
{
	unsigned int cpu;

	detach(session);
	for_each_possible_cpu(cpu) {
		if (session->rings[cpu]) /* nobody writes it any more */
			maxlat_ring_finalise(MAXLAT_RING_THREAD, &session->rings[cpu]->ring);
	}
	session->state = TRACE_STOPPED;
	trace_delivery_stop(&session->delivery);
}

void trace_session_free(struct trace_session *session)
{
	if (session->state == TRACE_RUNNING)
		trace_session_stop(session);
	else if (!bitmap_empty(session->raw_events, MAXLAT_TRACE_RAW_EVENTS))
		detach(session);
	mutex_lock(&control);
	__clear_bit(session->slot, &slots);
	mutex_unlock(&control);
	trace_rings_free(session->rings);
	kfree(session);
}

struct trace_ring *trace_session_ring(const struct trace_session *session, u64 cpu)
{
	return session->rings && cpu < nr_cpu_ids ? session->rings[cpu] : NULL;
}
