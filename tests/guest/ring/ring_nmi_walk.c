// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * An NMI that traces at every instruction of a task's event: reserve, write, commit, the switch of sub-buffers,
 * delivery, flush, dropping; into the ring of its CPU, with local atomics. Whatever it interrupted, no record is
 * torn, none is lost without being counted, and the books balance.
 *
 * NEEDS exact mode: one CPU, an instruction is a nanosecond, and so an NMI at a commanded HPET tick comes at a
 * commanded instruction. A tick is ten instructions: the event begins 3, 6, 9 .. 30 of them later, which is every
 * remainder of ten.
 *
 * COVERAGE. Before an event is interrupted, it is run once in single steps (the processor's trap flag), which marks
 * the module's instructions on its way. Then it is run again and again, from the same state of the ring, each time
 * with the NMI an instruction later, until the NMI comes behind it. The address that the NMI saved is marked, too. At
 * the end every instruction that was stepped over must have been interrupted.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kdebug.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/vmalloc.h>
#include <asm/debugreg.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <maxlat/ring/switch.h>

#include "../planter/hpet.h"
#include "ring_events.h"
#include "ring_test.h"

#define SUB_BUFFER_BITS 9 /* 400 bytes for records: 16 of 24 bytes, and 16 of padding; or one of 40 bytes and 15 */
#define RING_BITS 1
#define FIRST_TICKS 7 /* later than the timer is set, and sooner than the victim begins */
#define TEXT_BYTES 65536 /* more than the module has, on either side of the anchor */

/* What is interrupted, in which state of the ring. */
struct walk_case {
	unsigned int before; /* events that are there already */
	bool filler;         /* the first of them fills what would be padding */
	bool flush;          /* not an event, a flush */
};

static const struct walk_case cases[] = {
	{ .before = 0 },                  /* opens the first packet */
	{ .before = 5 },                  /* in the middle of a packet */
	{ .before = 15, .filler = true }, /* fills one to the last byte */
	{ .before = 16, .filler = true }, /* opens the one behind it */
	{ .before = 16 },                 /* does not fit: padding, delivery, and the next one is opened */
	{ .before = 32 },                 /* no room, or the first that overwrites */
	{ .before = 48 },
	{ .before = 5, .flush = true },
	{ .before = 0, .flush = true },   /* nothing to be flushed */
};

enum stage { BEFORE, INSIDE, BEHIND };

struct walk {
	struct walk_case what;
	u32 features;
	unsigned int nmi_events;

	struct maxlat_ring ring;
	struct ring_reading reading;
	struct ring_context task, nmi;
	bool nmi_asked;
	enum stage stage, nmi_came;
};

static struct walk walk;
static void __iomem *hpet;
static void *memory;
static u64 memory_size;
static bool stepping;
static DECLARE_BITMAP(stepped, TEXT_BYTES);
static DECLARE_BITMAP(interrupted, TEXT_BYTES);
static DECLARE_BITMAP(stepped_only, TEXT_BYTES);

static noinline void task_event(void)
{
	ring_write_event(MAXLAT_RING_THREAD, &walk.ring, &walk.task, 16);
}

/* The stages are set in here, so that stepped and interrupted instructions are the same ones. */
static noinline void victim(void)
{
	WRITE_ONCE(walk.stage, INSIDE);
	barrier();
	if (walk.what.flush)
		maxlat_ring_flush(MAXLAT_RING_THREAD, &walk.ring);
	else
		task_event();
	barrier();
	WRITE_ONCE(walk.stage, BEHIND);
}

static void mark(unsigned long *bitmap, unsigned long address)
{
	const unsigned long offset = address - (unsigned long)task_event + TEXT_BYTES / 2;

	if (within_module(address, THIS_MODULE) && offset < TEXT_BYTES)
		__set_bit(offset, bitmap);
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	unsigned int i;

	if (!READ_ONCE(walk.nmi_asked))
		return NMI_DONE;
	walk.nmi_came = READ_ONCE(walk.stage);
	if (walk.nmi_came == INSIDE)
		mark(interrupted, regs->ip);
	for (i = 0; i < walk.nmi_events; i++)
		ring_write_event(MAXLAT_RING_THREAD, &walk.ring, &walk.nmi, 16);
	WRITE_ONCE(walk.nmi_asked, false);
	return NMI_HANDLED;
}

static int on_step(struct notifier_block *block, unsigned long what, void *data)
{
	const struct die_args *args = data;

	if (what != DIE_DEBUG || !READ_ONCE(stepping))
		return NOTIFY_DONE;
	if (READ_ONCE(walk.stage) == INSIDE)
		mark(stepped, args->regs->ip);
	return NOTIFY_STOP;
}

static struct notifier_block step_block = { .notifier_call = on_step, .priority = INT_MAX };

static void step_victim(void)
{
	unsigned long flags;

	local_irq_save(flags);
	WRITE_ONCE(stepping, true);
	asm volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq" : : "i"(X86_EFLAGS_TF) : "memory", "cc");
	victim();
	asm volatile("pushfq\n\tandq %0, (%%rsp)\n\tpopfq" : : "i"(~X86_EFLAGS_TF) : "memory", "cc");
	WRITE_ONCE(stepping, false);
	local_irq_restore(flags);
}

/* Three instructions each time. REQUIRES: times > 0. */
static __always_inline void spend(unsigned int times)
{
	asm volatile("1:\n\tnop\n\tdec %0\n\tjnz 1b" : "+r"(times) : : "cc");
}

/* To the begin of a tick, so that all that follows is the same each time. RETURNS: whether it came. */
static bool wait_for_tick(void)
{
	unsigned int tries;

	for (tries = 0; tries < 1000; tries++) {
		if ((u32)rdtsc() % HPET_TICK_NS == 0)
			return true;
		spend(1 + tries % 7); /* each time another number, or the loop might never meet a tick */
	}
	return false;
}

/* The victim `later` times 3 instructions after a fixed place, with an NMI so many ticks of the HPET after another. */
static void interrupt_victim(unsigned int ticks, unsigned int later)
{
	unsigned long flags;
	unsigned int patience = 1000000;

	local_irq_save(flags);
	walk.stage = BEFORE;
	WRITE_ONCE(walk.nmi_asked, true);
	if (wait_for_tick()) {
		hpet_aim(hpet, 0, DELIVER_NMI, hpet_now(hpet) + ticks);
		asm volatile(".rept 80\n\tnop\n\t.endr"); /* the timer is set some time before the first NMI is due */
		spend(later);
		victim();
		while (READ_ONCE(walk.nmi_asked) && --patience > 0)
			cpu_relax();
	}
	if (READ_ONCE(walk.nmi_asked))
		walk.reading.wrong = "the NMI does not come: this is not exact mode";
	local_irq_restore(flags);
}

/* A new ring in the state of the case. */
static bool make_ring(void)
{
	const struct maxlat_ring_options options = {
		.features = walk.features, .sub_buffer_bits = SUB_BUFFER_BITS, .ring_bits = RING_BITS
	};
	unsigned int i;

	memset(memory, 0, memory_size);
	memset(&walk.reading, 0, sizeof(walk.reading));
	walk.task = (struct ring_context){ .id = 1 };
	walk.nmi = (struct ring_context){ .id = 2 };
	if (!maxlat_ring_create(&walk.ring, memory, memory_size, &options) ||
	    !maxlat_ring_reader_start(&walk.reading.reader, &walk.ring))
		return false;
	for (i = 0; i < walk.what.before; i++) {
		if (i == 0 && walk.what.filler)
			ring_write_event(MAXLAT_RING_THREAD, &walk.ring, &walk.task, 32);
		else
			task_event();
	}
	return true;
}

/* RETURNS: whether the books balance. */
static bool settle(void)
{
	maxlat_ring_finalise(MAXLAT_RING_THREAD, &walk.ring);
	ring_settle(&walk.reading, walk.task.tried + walk.nmi.tried);
	return !walk.reading.wrong;
}

/* One case, an NMI at each of its instructions. RETURNS: how many, or 0: something is wrong. */
static unsigned int walk_case(void)
{
	unsigned int ticks, later, came[3] = { 0 }, inside = 0;

	if (!make_ring())
		return 0;
	step_victim();
	for (ticks = FIRST_TICKS; came[BEHIND] < HPET_TICK_NS; ticks++) {
		memset(came, 0, sizeof(came));
		for (later = 1; later <= HPET_TICK_NS; later++) {
			if (!make_ring())
				return 0;
			interrupt_victim(ticks, later);
			if (!settle())
				return 0;
			came[walk.nmi_came]++;
		}
		if (ticks == FIRST_TICKS && came[BEFORE] < HPET_TICK_NS) {
			walk.reading.wrong = "the first NMI comes too late";
			return 0;
		}
		inside += came[INSIDE];
		cond_resched();
	}
	return inside;
}

static int walk_cases(void)
{
	static const u32 features[] = { 0, MAXLAT_RING_OVERWRITE };
	static const unsigned int nmi_events[] = { 1, 40 }; /* 40: once round the ring and more */
	const unsigned int rows = ARRAY_SIZE(cases) * ARRAY_SIZE(features) * ARRAY_SIZE(nmi_events);
	unsigned int row, nmis = 0, missed;
	unsigned long bit;

	for (row = 0; row < rows; row++) {
		unsigned int inside;

		walk.what = cases[row % ARRAY_SIZE(cases)];
		walk.features = features[row / ARRAY_SIZE(cases) % ARRAY_SIZE(features)];
		walk.nmi_events = nmi_events[row / ARRAY_SIZE(cases) / ARRAY_SIZE(features)];
		inside = walk_case();
		if (inside == 0) {
			pr_err("nmi-walk: features %u before %u filler %u flush %u nmi events %u: %s\n", walk.features,
			       walk.what.before, walk.what.filler, walk.what.flush, walk.nmi_events,
			       walk.reading.wrong ?: "no ring");
			return -EIO;
		}
		nmis += inside;
	}
	bitmap_andnot(stepped_only, stepped, interrupted, TEXT_BYTES);
	missed = bitmap_weight(stepped_only, TEXT_BYTES);
	for_each_set_bit(bit, stepped_only, TEXT_BYTES)
		pr_err("nmi-walk: never interrupted: %pS\n", (void *)((unsigned long)task_event + bit - TEXT_BYTES / 2));
	pr_info("nmi-walk: cases %u nmis %u instructions %u interrupted %u missed %u\n", rows, nmis,
		bitmap_weight(stepped, TEXT_BYTES), bitmap_weight(interrupted, TEXT_BYTES), missed);
	return missed ? -EIO : 0;
}

int ring_test_nmi_walk(void)
{
	const struct maxlat_ring_options largest = {
		.features = MAXLAT_RING_OVERWRITE, .sub_buffer_bits = SUB_BUFFER_BITS, .ring_bits = RING_BITS
	};
	int status = -ENOMEM;

	memory_size = maxlat_ring_size(&largest);
	memory = vzalloc(memory_size);
	hpet = hpet_map();
	if (memory && hpet) {
		status = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "maxlat_ring_walk");
		if (status == 0) {
			register_die_notifier(&step_block);
			status = walk_cases();
			unregister_die_notifier(&step_block);
		}
		hpet_stop(hpet);
		unregister_nmi_handler(NMI_LOCAL, "maxlat_ring_walk");
	}
	if (hpet)
		iounmap(hpet);
	vfree(memory);
	return status;
}
