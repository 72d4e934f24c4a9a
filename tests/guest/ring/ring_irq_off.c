// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * What an event of ours would cost if it turned interrupts off instead of being atomic against them: the reference
 * variant of Desnoyers 2009, section 5.5.8. It is the same code of the ring, with plain reads and writes in the place
 * of the two local operations, between local_irq_save() and local_irq_restore(). No NMI may trace into it, so nobody
 * else uses it.
 */
#include <linux/irqflags.h>
#include <linux/percpu.h>

#define MAXLAT_RING_INLINE static __always_inline
#define maxlat_ring_x86_cas maxlat_ring_x86_local_cas
#define maxlat_ring_x86_add maxlat_ring_x86_local_add
#include <maxlat/ring/port_x86.h>
#undef maxlat_ring_x86_cas
#undef maxlat_ring_x86_add

MAXLAT_RING_INLINE bool maxlat_ring_x86_cas(uint64_t *word, uint64_t expected, uint64_t desired)
{
	if (READ_ONCE(*word) != expected)
		return false;
	WRITE_ONCE(*word, desired);
	return true;
}

MAXLAT_RING_INLINE uint64_t maxlat_ring_x86_add(uint64_t *word, uint64_t amount)
{
	const uint64_t sum = READ_ONCE(*word) + amount;

	WRITE_ONCE(*word, sum);
	return sum;
}

#undef MAXLAT_RING_INLINE
#include <maxlat/ring/record_write.h>

#include "ring_costs.h"
#include "ring_measure.h"
#include "ring_test.h"

#define EVENT_ID 7

static __always_inline void irq_off_event(u64 first, u64 second, u64 third)
{
	struct maxlat_ring_record record;
	const struct maxlat_ring *ring;
	unsigned long interrupts;
	u64 *payload;

	local_irq_save(interrupts);
	ring = __this_cpu_read(ring_measured);
	if (maxlat_ring_record_begin(MAXLAT_RING_THREAD, ring, EVENT_ID, 24, &record)) {
		payload = (u64 *)record.payload;
		payload[0] = first;
		payload[1] = second;
		payload[2] = third;
		maxlat_ring_record_end(MAXLAT_RING_THREAD, ring, &record);
	}
	local_irq_restore(interrupts);
}

void ring_measure_irq_off(const char *name)
{
	const u64 nothing = ring_measure_nothing();

	RING_MEASURE(irq_off_event(event, event, event));
	ring_measure_tell(name, nothing);
}
