// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * What an event of 24 bytes costs in the kernel, in instructions: our ring and the kernel's (ring_buffer.h), each
 * from reserve to commit, as a probe would call it, which of ours includes finding the CPU's ring; then the whole way
 * through a tracepoint, with nothing, with tracefs or with a probe of ours attached.
 *
 * NEEDS exact mode, where the counter counts instructions. Interrupts are off. What the two counter reads around an
 * event take themselves is measured first, and taken off.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/ring_buffer.h>
#include <linux/vmalloc.h>
#include <maxlat/ring/record_write.h>

#include <maxlat/kernel/kernel_versions.h>

#include "ring_costs.h"

#define CREATE_TRACE_POINTS
#include "ring_costs_event.h"
#include "ring_measure.h"
#include "ring_test.h"

#define EVENT_ID 7

DEFINE_PER_CPU(struct maxlat_ring *, ring_measured);
static struct trace_buffer *kernel_ring;

/* REQUIRES, both: preemption is off, as in every probe. */
static __always_inline void own_event(u64 first, u64 second, u64 third)
{
	const struct maxlat_ring *ring = __this_cpu_read(ring_measured);
	struct maxlat_ring_record record;
	u64 *payload;

	if (!maxlat_ring_record_begin(MAXLAT_RING_THREAD, ring, EVENT_ID, 24, &record))
		return;
	payload = (u64 *)record.payload;
	payload[0] = first;
	payload[1] = second;
	payload[2] = third;
	maxlat_ring_record_end(MAXLAT_RING_THREAD, ring, &record);
}

static __always_inline void kernel_event(u64 first, u64 second, u64 third)
{
	struct ring_buffer_event *event = ring_buffer_lock_reserve(kernel_ring, 24);
	u64 *payload;

	if (!event)
		return;
	payload = ring_buffer_event_data(event);
	payload[0] = first;
	payload[1] = second;
	payload[2] = third;
	maxlat_kernel_ring_commit(kernel_ring, event);
}

/* A probe, out of line as the tracepoint calls it. */
static void own_probe(void *data, u64 first, u64 second, u64 third)
{
	own_event(first, second, third);
}

/* Room for all events: 250 of 32 bytes to a sub-buffer of 8 KiB. RETURNS: its memory, or null. */
static void *make_own_ring(struct maxlat_ring *ring, u32 features)
{
	const struct maxlat_ring_options options = { .features = features, .sub_buffer_bits = 13, .ring_bits = 3 };
	const u64 size = maxlat_ring_size(&options);
	void *memory = vzalloc(size);

	if (memory && !maxlat_ring_create(ring, memory, size, &options)) {
		vfree(memory);
		memory = NULL;
	}
	return memory;
}

static bool all_recorded(const struct maxlat_ring *ring)
{
	const struct maxlat_ring_header *header = ring->header;

	return header->lost_full + header->lost_wrap + header->lost_big == 0 &&
	       header->records_delivered > RING_MEASURED_EVENTS / 2;
}

int ring_with_own(const char *name, u32 features, void (*measure)(const char *name))
{
	struct maxlat_ring ring;
	void *memory = make_own_ring(&ring, features);
	int status = 0;

	if (!memory)
		return -ENOMEM;
	migrate_disable();
	__this_cpu_write(ring_measured, &ring);
	measure(name);
	migrate_enable();
	if (!all_recorded(&ring)) {
		pr_err("costs: %s: events are missing\n", name);
		status = -EIO;
	}
	vfree(memory);
	return status;
}

static void measure_own_ring(const char *name)
{
	const u64 nothing = ring_measure_nothing();

	RING_MEASURE(own_event(event, event, event));
	ring_measure_tell(name, nothing);
}

static void measure_tracepoint(const char *name)
{
	const u64 nothing = ring_measure_nothing();

	RING_MEASURE(trace_maxlat_ring_cost(event, event, event));
	ring_measure_tell(name, nothing);
}

static int measure_kernel_ring(void)
{
	const u64 nothing = ring_measure_nothing();
	unsigned long recorded;

	kernel_ring = ring_buffer_alloc(1 << 20, RB_FL_OVERWRITE);
	if (!kernel_ring)
		return -ENOMEM;
	RING_MEASURE(kernel_event(event, event, event));
	ring_measure_tell("kernel-ring", nothing);
	recorded = ring_buffer_entries(kernel_ring);
	ring_buffer_free(kernel_ring);
	return recorded == RING_MEASURED_EVENTS ? 0 : -EIO;
}

int ring_test_costs(void)
{
	int status = ring_with_own("own-ring-discard", 0, measure_own_ring);

	if (status == 0)
		status = ring_with_own("own-ring-overwrite", MAXLAT_RING_OVERWRITE, measure_own_ring);
	if (status == 0)
		status = ring_with_own("irq-off-ring", 0, ring_measure_irq_off);
	return status ?: measure_kernel_ring();
}

int ring_test_tracepoint(void)
{
	measure_tracepoint("tracepoint");
	return 0;
}

static void measure_own_probe(const char *name)
{
	if (register_trace_maxlat_ring_cost(own_probe, NULL) == 0) {
		measure_tracepoint(name);
		unregister_trace_maxlat_ring_cost(own_probe, NULL);
		tracepoint_synchronize_unregister();
	}
}

int ring_test_own_probe(void)
{
	return ring_with_own("own-probe", 0, measure_own_probe);
}
