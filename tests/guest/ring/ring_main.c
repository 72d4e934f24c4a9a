// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The tracer's ring in the kernel, from the same source: tasks trace, interrupts trace in the middle of that, a reader
 * takes packets meanwhile, and the books balance. Runs at load; a ring that does not hold makes insmod fail. Not a
 * kernel tracer: the proof that the ring can be the heart of one.
 *
 *   local    one task and the interrupts of one CPU, kernel-local atomics (the case of Desnoyers 2012); discard,
 *            overwrite, and once with the promotion by interprocessor interrupts that machines with weaker order need
 *   shared   a task and the interrupts of every CPU on one ring, SMP atomics; it is the first CPU's, the others write
 *            as foreigners do (reserve.h, TIME ORDER)
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/vmalloc.h>
#include <maxlat/ring/promote.h>
#include <maxlat/ring/read.h>
#include <maxlat/ring/record_write.h>
#include <maxlat/ring/switch.h>
#include <maxlat/ring/walk.h>

#include <maxlat/kernel/kernel_versions.h>

#define EVENTS_OF_A_TASK 100000
#define INTERRUPT_EVERY_NS 50000
#define MAX_CPUS 8
#define MAX_CONTEXTS (2 * MAX_CPUS) /* a task and the interrupts of each CPU */

struct trial;

/* One writer of events: each has an id, from 1, and numbers what it traces. */
struct context {
	u32 id;
	u32 cpu;
	u64 tried;
};

struct writer {
	struct trial *trial;
	struct context task, interrupt;
	struct hrtimer timer;
	struct completion done;
	bool in_probe;
	u64 nested; /* interrupts that came while the task was in one */
};

struct trial {
	const char *name;
	enum maxlat_ring_ownership ownership;
	u32 features;
	unsigned int cpus;

	struct maxlat_ring ring;
	struct maxlat_ring_reader reader;
	struct writer writers[MAX_CPUS];
	u64 last[MAX_CONTEXTS + 1]; /* number of the last event that was read, of each id */
	u64 read;
	const char *wrong;
};

static u64 check_of(u32 id, u64 number)
{
	return (((u64)id << 56) ^ number) * 0x9e3779b97f4a7c15ull;
}

static __always_inline void write_event(enum maxlat_ring_ownership ownership, const struct maxlat_ring *ring,
					struct context *context)
{
	const struct maxlat_ring_cpu cpu = { .now = &context->cpu, .chosen = ring->owner };
	struct maxlat_ring_record record;
	u64 number = ++context->tried;
	u64 *payload;

	if (!maxlat_ring_record_begin_on(ownership, ring, cpu, context->id, 16, &record))
		return;
	payload = (u64 *)record.payload;
	payload[0] = number;
	payload[1] = check_of(context->id, number);
	maxlat_ring_record_end(ownership, ring, &record);
}

static void trace(const struct trial *trial, struct context *context)
{
	if (trial->ownership == MAXLAT_RING_THREAD)
		write_event(MAXLAT_RING_THREAD, &trial->ring, context);
	else
		write_event(MAXLAT_RING_CPU, &trial->ring, context);
}

static enum hrtimer_restart interrupt(struct hrtimer *timer)
{
	struct writer *writer = container_of(timer, struct writer, timer);

	if (READ_ONCE(writer->in_probe))
		writer->nested++;
	trace(writer->trial, &writer->interrupt);
	trace(writer->trial, &writer->interrupt);
	hrtimer_forward_now(timer, ns_to_ktime(INTERRUPT_EVERY_NS));
	return HRTIMER_RESTART;
}

static int write_events(void *data)
{
	struct writer *writer = data;
	u64 i;

	hrtimer_start(&writer->timer, ns_to_ktime(INTERRUPT_EVERY_NS), HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < EVENTS_OF_A_TASK; i++) {
		WRITE_ONCE(writer->in_probe, true);
		trace(writer->trial, &writer->task);
		WRITE_ONCE(writer->in_probe, false);
		if (i % 1000 == 0)
			cond_resched();
	}
	hrtimer_cancel(&writer->timer);
	if (writer->trial->ownership == MAXLAT_RING_THREAD)
		maxlat_ring_finalise(MAXLAT_RING_THREAD, &writer->trial->ring); /* its owner's business */
	complete(&writer->done);
	return 0;
}

static void check_packet(struct trial *trial, const struct maxlat_ring_view *view)
{
	struct maxlat_ring_walk walk;
	struct maxlat_ring_walked record;
	enum maxlat_ring_step step;
	u64 time = 0;

	maxlat_ring_walk_start(&walk, view->bytes, view->content_size);
	while ((step = maxlat_ring_walk_next(&walk, &record)) == MAXLAT_RING_EVENT) {
		const u64 *payload = (const u64 *)record.payload;

		if (record.id == 0 || record.id > MAX_CONTEXTS || payload[1] != check_of(record.id, payload[0]))
			trial->wrong = "a record is not what was traced";
		else if (payload[0] <= trial->last[record.id])
			trial->wrong = "events of one context are not in their order";
		else
			trial->last[record.id] = payload[0];
		if (record.time < time)
			trial->wrong = "time goes back";
		time = record.time;
		trial->read++;
		if (trial->wrong)
			return;
	}
	if (step == MAXLAT_RING_BROKEN)
		trial->wrong = "a packet ends in the middle of a record";
}

/* RETURNS: whether there was a packet. */
static bool read_packet(struct trial *trial)
{
	struct maxlat_ring_view view;
	enum maxlat_ring_got got = maxlat_ring_get(&trial->reader, &view);

	if (got == MAXLAT_RING_CORRUPT)
		trial->wrong = "the reader finds the ring damaged";
	if (got != MAXLAT_RING_GOT)
		return false;
	check_packet(trial, &view);
	maxlat_ring_put(&trial->reader, &view);
	return true;
}

static int run_writers(struct trial *trial)
{
	unsigned int cpu, waiting = 0;

	for (cpu = 0; cpu < trial->cpus; cpu++) {
		struct writer *writer = &trial->writers[cpu];
		struct task_struct *task;

		writer->trial = trial;
		writer->task.id = 2 * cpu + 1;
		writer->interrupt.id = 2 * cpu + 2;
		writer->task.cpu = writer->interrupt.cpu = cpu;
		init_completion(&writer->done);
		hrtimer_setup(&writer->timer, interrupt, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		task = kthread_create_on_cpu(write_events, writer, cpu, "ring_test/%u");
		if (IS_ERR(task))
			return PTR_ERR(task);
		wake_up_process(task);
	}
	while (waiting < trial->cpus && !trial->wrong) {
		if (try_wait_for_completion(&trial->writers[waiting].done))
			waiting++;
		else if (!read_packet(trial))
			cond_resched();
	}
	for (; waiting < trial->cpus; waiting++) /* something is wrong, but they must end before their memory goes */
		wait_for_completion(&trial->writers[waiting].done);
	return 0;
}

static int judge(struct trial *trial)
{
	const struct maxlat_ring_header *header = trial->ring.header;
	const u64 lost = header->lost_full + header->lost_wrap + header->lost_big;
	u64 tried = 0, in_interrupts = 0, nested = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < trial->cpus; cpu++) {
		tried += trial->writers[cpu].task.tried + trial->writers[cpu].interrupt.tried;
		in_interrupts += trial->writers[cpu].interrupt.tried;
		nested += trial->writers[cpu].nested;
	}
	if (!trial->wrong && header->records_delivered + lost != tried)
		trial->wrong = "delivered and lost are not what was tried";
	if (!trial->wrong && !(trial->features & MAXLAT_RING_OVERWRITE) && trial->read != header->records_delivered)
		trial->wrong = "not everything that was delivered was read";
	pr_info("%s: tried %llu in-interrupts %llu nested %llu delivered %llu read %llu lost %llu %s\n",
		trial->name, tried, in_interrupts, nested, (u64)header->records_delivered, trial->read, lost,
		trial->wrong ?: "ok");
	return trial->wrong ? -EIO : 0;
}

static int run_trial(struct trial *trial)
{
	const struct maxlat_ring_options options = {
		.features = trial->features, .sub_buffer_bits = 14, .ring_bits = 2
	};
	const u64 size = maxlat_ring_size(&options);
	void *memory = vzalloc(size);
	int status;

	if (!memory)
		return -ENOMEM;
	if (!maxlat_ring_create(&trial->ring, memory, size, &options) ||
	    !maxlat_ring_reader_start(&trial->reader, &trial->ring)) {
		vfree(memory);
		return -EINVAL;
	}
	status = run_writers(trial);
	if (status == 0) {
		if (trial->ownership == MAXLAT_RING_CPU)
			maxlat_ring_finalise(MAXLAT_RING_CPU, &trial->ring);
		while (!trial->wrong && read_packet(trial))
			;
		if (!trial->wrong && maxlat_ring_poll(&trial->reader) != MAXLAT_RING_HANGUP)
			trial->wrong = "finalised and read, and not at its end";
		status = judge(trial);
	}
	vfree(memory);
	return status;
}

static int __init ring_test_init(void)
{
	static struct trial trials[] = {
		{ .name = "local-discard", .ownership = MAXLAT_RING_THREAD, .cpus = 1 },
		{ .name = "local-overwrite", .ownership = MAXLAT_RING_THREAD, .features = MAXLAT_RING_OVERWRITE, .cpus = 1 },
		{ .name = "local-promoted", .ownership = MAXLAT_RING_THREAD, .features = MAXLAT_RING_NEEDS_PROMOTION, .cpus = 1 },
		{ .name = "shared-discard", .ownership = MAXLAT_RING_CPU, .features = MAXLAT_RING_SHARED_WRITERS },
		{ .name = "shared-overwrite", .ownership = MAXLAT_RING_CPU,
		  .features = MAXLAT_RING_SHARED_WRITERS | MAXLAT_RING_OVERWRITE },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(trials); i++) {
		int status;

		if (trials[i].cpus == 0)
			trials[i].cpus = min_t(unsigned int, num_online_cpus(), MAX_CPUS);
		status = run_trial(&trials[i]);
		if (status)
			return status;
	}
	return 0;
}

static void __exit ring_test_exit(void)
{
}

module_init(ring_test_init);
module_exit(ring_test_exit);
MODULE_DESCRIPTION("The ring of maxlat's tracer, tested in the kernel");
MODULE_LICENSE("Dual MIT/GPL");
