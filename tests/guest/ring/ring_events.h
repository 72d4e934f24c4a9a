/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Events that tell whether they were read as they were written: each bears the id of the context that traced it, that
 * context's number of it, and a check of both. A missing, torn, doubled or misplaced record is seen by the reader.
 */
#ifndef RING_EVENTS_H
#define RING_EVENTS_H

#include <linux/types.h>
#include <maxlat/ring/read.h>
#include <maxlat/ring/record_write.h>
#include <maxlat/ring/walk.h>

#define RING_CONTEXTS 16

/* Who traces: its id is from 1 to RING_CONTEXTS. */
struct ring_context {
	u32 id;
	u32 cpu;
	u64 tried;
};

/* What was read so far. */
struct ring_reading {
	struct maxlat_ring_reader reader;
	u64 last[RING_CONTEXTS + 1]; /* number of the last event that was read, of each id */
	u64 read;
	const char *wrong;
};

static inline u64 ring_check_of(u32 id, u64 number)
{
	return (((u64)id << 56) ^ number) * 0x9e3779b97f4a7c15ull;
}

/* REQUIRES: payload_bytes >= 16. */
static __always_inline void ring_write_event(enum maxlat_ring_ownership ownership, const struct maxlat_ring *ring,
					     struct ring_context *context, u64 payload_bytes)
{
	const struct maxlat_ring_cpu cpu = { .now = &context->cpu, .chosen = ring->owner };
	struct maxlat_ring_record record;
	u64 number = ++context->tried;
	u64 *payload;

	if (!maxlat_ring_record_begin_on(ownership, ring, cpu, context->id, payload_bytes, &record))
		return;
	payload = (u64 *)record.payload;
	payload[0] = number;
	payload[1] = ring_check_of(context->id, number);
	maxlat_ring_record_end(ownership, ring, &record);
}

void ring_check_packet(struct ring_reading *reading, const struct maxlat_ring_view *view);

/* RETURNS: whether there was a packet. */
bool ring_read_packet(struct ring_reading *reading);

/* Reads what a finalised ring still has, and holds its books against `tried`. */
void ring_settle(struct ring_reading *reading, u64 tried);

#endif
