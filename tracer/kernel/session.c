// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Sessions: rings, and when probes are attached to them. Contract: session.h. */
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>
#include <maxlat/ring/switch.h>

#include "probes.h"
#include "session.h"

static void free_rings(struct trace_ring **rings)
{
	unsigned int cpu;

	if (!rings)
		return;
	for_each_possible_cpu(cpu) {
		if (rings[cpu])
			vfree(rings[cpu]->memory);
		kfree(rings[cpu]);
	}
	kfree(rings);
}

static int make_ring(struct trace_ring **where, unsigned int cpu, u64 bytes, const struct maxlat_ring_options *options)
{
	struct trace_ring *ring = kzalloc_node(sizeof(*ring), GFP_KERNEL, cpu_to_node(cpu));

	*where = ring;
	if (!ring)
		return -ENOMEM;
	ring->memory = vmalloc_user(bytes);
	if (!ring->memory)
		return -ENOMEM;
	if (!maxlat_ring_create(&ring->ring, ring->memory, bytes, options) ||
	    !maxlat_ring_reader_start(&ring->reader, &ring->ring))
		return -EINVAL;
	return 0;
}

static bool is_possible(const struct maxlat_trace_start *request)
{
	return request->sub_buffer_bits >= 12 && request->sub_buffer_bits <= 22 && request->ring_bits >= 1 &&
	       request->ring_bits <= MAXLAT_RING_MAX_RING_BITS && request->overwrite <= 1 && request->events != 0;
}

static int make_rings(struct trace_session *session, const struct maxlat_trace_start *request)
{
	struct maxlat_ring_options options = {
		.features = request->overwrite ? MAXLAT_RING_OVERWRITE : 0,
		.sub_buffer_bits = request->sub_buffer_bits,
		.ring_bits = request->ring_bits,
	};
	struct trace_ring **rings = kcalloc(nr_cpu_ids, sizeof(*rings), GFP_KERNEL);
	unsigned int cpu;

	if (!rings)
		return -ENOMEM;
	session->ring_bytes = PAGE_ALIGN(maxlat_ring_size(&options));
	for_each_possible_cpu(cpu) {
		int error;

		options.owner = cpu;
		error = make_ring(&rings[cpu], cpu, session->ring_bytes, &options);
		if (error) {
			free_rings(rings);
			return error;
		}
	}
	smp_store_release(&session->rings, rings); /* whole, for mmap(2), which takes no lock; partner in device.c */
	return 0;
}

int trace_session_start(struct trace_session *session, struct maxlat_trace_start *request)
{
	int error;

	if (!is_possible(request))
		return -EINVAL;
	if (request->events & ~trace_probes_known())
		return -ENOENT;
	error = make_rings(session, request);
	if (error)
		return error;
	error = trace_probes_attach(session, request->events);
	session->events = request->events;
	session->state = error ? TRACE_STOPPED : TRACE_RUNNING;
	WRITE_ONCE(session->active, !error);
	request->ring_bytes = session->ring_bytes;
	return error;
}

void trace_session_stop(struct trace_session *session)
{
	unsigned int cpu;

	WRITE_ONCE(session->active, false);
	trace_probes_detach(session, session->events);
	for_each_possible_cpu(cpu)
		maxlat_ring_finalise(MAXLAT_RING_THREAD, &session->rings[cpu]->ring); /* nobody writes it any more */
	session->state = TRACE_STOPPED;
}

/* On the ring's CPU, as an interrupt: one more of its nested writers. */
static void flush_here(void *data)
{
	const struct trace_session *session = data;

	maxlat_ring_flush(MAXLAT_RING_THREAD, &session->rings[smp_processor_id()]->ring);
}

void trace_session_flush(struct trace_session *session)
{
	on_each_cpu(flush_here, session, true);
}

void trace_session_free(struct trace_session *session)
{
	if (session->state == TRACE_RUNNING)
		trace_session_stop(session);
	free_rings(session->rings);
	kfree(session);
}

struct trace_ring *trace_session_ring(const struct trace_session *session, u64 cpu)
{
	return session->rings && cpu < nr_cpu_ids ? session->rings[cpu] : NULL;
}
