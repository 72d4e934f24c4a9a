// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * How many instructions the kernel's own primitives have that a ring can be built on: those of Desnoyers 2009, Tables
 * 4.1 to 4.6. NEEDS exact mode. That one instruction is as dear as another there is why this says nothing of their
 * time: with a lock prefix or without, it counts as one.
 */
#include <linux/atomic.h>
#include <linux/preempt.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>

#include "ring_measure.h"
#include "ring_test.h"

static unsigned long word;
static DEFINE_RAW_SPINLOCK(lock);
static seqcount_t sequence = SEQCNT_ZERO(sequence);

#define TELL(name, code)                                                                                               \
	do {                                                                                                           \
		RING_MEASURE(code);                                                                                    \
		ring_measure_tell(name, nothing);                                                                      \
	} while (0)

static __always_inline void local_cas(void)
{
	(void)cmpxchg_local(&word, 0, 0);
}

static __always_inline void with_interrupts_off(void)
{
	unsigned long interrupts;

	local_irq_save(interrupts);
	barrier();
	local_irq_restore(interrupts);
}

static __always_inline void with_preemption_off(void)
{
	preempt_disable();
	barrier();
	preempt_enable();
}

static __always_inline void local_cas_with_preemption_off(void)
{
	preempt_disable();
	local_cas();
	preempt_enable();
}

static __always_inline void locked(void)
{
	raw_spin_lock(&lock);
	raw_spin_unlock(&lock);
}

static __always_inline void locked_with_interrupts_off(void)
{
	unsigned long interrupts;

	raw_spin_lock_irqsave(&lock, interrupts);
	raw_spin_unlock_irqrestore(&lock, interrupts);
}

static __always_inline void read_of_seqlock(void)
{
	unsigned int begin;

	do
		begin = read_seqcount_begin(&sequence);
	while (read_seqcount_retry(&sequence, begin));
}

int ring_test_primitives(void)
{
	const u64 nothing = ring_measure_nothing();

	TELL("counter-fenced", (void)rdtsc_ordered());
	TELL("local-cas", local_cas());
	TELL("locked-cas", (void)cmpxchg(&word, 0, 0));
	TELL("interrupts-off-and-on", with_interrupts_off());
	TELL("preemption-off-and-on", with_preemption_off());
	TELL("local-cas-preemption-off", local_cas_with_preemption_off());
	TELL("seqlock-read", read_of_seqlock());
	TELL("spin-lock", locked());
	TELL("spin-lock-interrupts-off", locked_with_interrupts_off());
	return 0;
}
