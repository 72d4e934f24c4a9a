// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Reading the events of ring_events.h, and the books of a ring that is at its end. */
#include "ring_events.h"

void ring_check_packet(struct ring_reading *reading, const struct maxlat_ring_view *view)
{
	struct maxlat_ring_walk walk;
	struct maxlat_ring_walked record;
	enum maxlat_ring_step step;
	u64 time = 0;

	maxlat_ring_walk_start(&walk, view->bytes, view->content_size);
	while ((step = maxlat_ring_walk_next(&walk, &record)) == MAXLAT_RING_EVENT) {
		const u64 *payload = (const u64 *)record.payload;

		if (record.id == 0 || record.id > RING_CONTEXTS || payload[1] != ring_check_of(record.id, payload[0]))
			reading->wrong = "a record is not what was traced";
		else if (payload[0] <= reading->last[record.id])
			reading->wrong = "events of one context are not in their order";
		else
			reading->last[record.id] = payload[0];
		if (record.time < time)
			reading->wrong = "time goes back";
		time = record.time;
		reading->read++;
		if (reading->wrong)
			return;
	}
	if (step == MAXLAT_RING_BROKEN)
		reading->wrong = "a packet ends in the middle of a record";
}

bool ring_read_packet(struct ring_reading *reading)
{
	struct maxlat_ring_view view;
	enum maxlat_ring_got got = maxlat_ring_get(&reading->reader, &view);

	if (got == MAXLAT_RING_CORRUPT)
		reading->wrong = "the reader finds the ring damaged";
	if (got != MAXLAT_RING_GOT)
		return false;
	ring_check_packet(reading, &view);
	maxlat_ring_put(&reading->reader, &view);
	return true;
}

void ring_settle(struct ring_reading *reading, u64 tried)
{
	const struct maxlat_ring *ring = &reading->reader.ring;
	const struct maxlat_ring_header *header = ring->header;

	while (!reading->wrong && ring_read_packet(reading))
		;
	if (reading->wrong)
		return;
	if (maxlat_ring_poll(&reading->reader) != MAXLAT_RING_HANGUP)
		reading->wrong = "finalised and read, and not at its end";
	else if (header->records_delivered + header->lost_full + header->lost_wrap + header->lost_big != tried)
		reading->wrong = "delivered and lost are not what was tried";
	else if (!maxlat_ring_overwrites(ring) && reading->read != header->records_delivered)
		reading->wrong = "not everything that was delivered was read";
}
