// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The tracer's ring in the kernel, from the same source: tasks trace, interrupts trace in the middle of that, a reader
 * takes packets meanwhile, and the books balance.
 *
 *   local    one task and the interrupts of one CPU, kernel-local atomics (the case of Desnoyers 2012); discard,
 *            overwrite, and once with the promotion by interprocessor interrupts that machines with weaker order need;
 *            then with NMIs, too, which another CPU sends as fast as they are taken
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
#include <asm/apic.h>
#include <asm/nmi.h>
#include <maxlat/ring/promote.h>
#include <maxlat/ring/switch.h>

#include <maxlat/kernel/kernel_versions.h>

#include "ring_events.h"
#include "ring_test.h"

#define EVENTS_OF_A_TASK 100000
#define MOST_EVENTS_OF_A_TASK (100 * EVENTS_OF_A_TASK)
#define INTERRUPT_EVERY_NS 50000
#define MAX_CPUS 5 /* a task, the interrupts and the NMIs of each are a context */

struct trial;

struct writer {
	struct trial *trial;
	struct ring_context task, interrupt, nmi;
	struct hrtimer timer;
	struct completion done;
	bool in_probe;
	bool nmi_asked; /* one is on its way */
	u64 nested; /* interrupts that came while the task was in one */
	u64 nested_nmis;
};

struct trial {
	const char *name;
	enum maxlat_ring_ownership ownership;
	u32 features;
	unsigned int cpus;
	bool nmis; /* to the first CPU */

	struct maxlat_ring ring;
	struct writer writers[MAX_CPUS];
	struct ring_reading reading;
};

static struct writer *nmi_writer; /* whose CPU gets NMIs */

static void trace(const struct trial *trial, struct ring_context *context)
{
	if (trial->ownership == MAXLAT_RING_THREAD)
		ring_write_event(MAXLAT_RING_THREAD, &trial->ring, context, 16);
	else
		ring_write_event(MAXLAT_RING_CPU, &trial->ring, context, 16);
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

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	struct writer *writer = READ_ONCE(nmi_writer);

	if (!writer || raw_smp_processor_id() != writer->nmi.cpu || !READ_ONCE(writer->nmi_asked))
		return NMI_DONE;
	if (READ_ONCE(writer->in_probe))
		writer->nested_nmis++;
	trace(writer->trial, &writer->nmi);
	trace(writer->trial, &writer->nmi);
	WRITE_ONCE(writer->nmi_asked, false);
	return NMI_HANDLED;
}

/* The next one, when the last was taken. */
static void send_nmi(struct writer *writer)
{
	if (READ_ONCE(writer->nmi_asked))
		return;
	WRITE_ONCE(writer->nmi_asked, true);
	apic->send_IPI_mask(cpumask_of(writer->nmi.cpu), NMI_VECTOR);
}

/* On a busy host a CPU may write them all before its timer comes, or before the other CPU has read anything. */
static bool has_met_what_it_is_for(const struct writer *writer)
{
	return READ_ONCE(writer->nested) > 0 && READ_ONCE(writer->trial->reading.read) > 0 &&
	       (!writer->trial->nmis || READ_ONCE(writer->nmi.tried) > 0);
}

static int write_events(void *data)
{
	struct writer *writer = data;
	u64 i;

	hrtimer_start(&writer->timer, ns_to_ktime(INTERRUPT_EVERY_NS), HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < EVENTS_OF_A_TASK || (i < MOST_EVENTS_OF_A_TASK && !has_met_what_it_is_for(writer)); i++) {
		WRITE_ONCE(writer->in_probe, true);
		trace(writer->trial, &writer->task);
		WRITE_ONCE(writer->in_probe, false);
		if (i % 1000 == 0)
			cond_resched();
	}
	hrtimer_cancel(&writer->timer);
	complete(&writer->done);
	return 0;
}

static int run_writers(struct trial *trial)
{
	unsigned int cpu, waiting = 0;

	for (cpu = 0; cpu < trial->cpus; cpu++) {
		struct writer *writer = &trial->writers[cpu];
		struct task_struct *task;

		writer->trial = trial;
		writer->task.id = 3 * cpu + 1;
		writer->interrupt.id = 3 * cpu + 2;
		writer->nmi.id = 3 * cpu + 3;
		writer->task.cpu = writer->interrupt.cpu = writer->nmi.cpu = cpu;
		init_completion(&writer->done);
		hrtimer_setup(&writer->timer, interrupt, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		task = kthread_create_on_cpu(write_events, writer, cpu, "ring_test/%u");
		if (IS_ERR(task))
			return PTR_ERR(task);
		wake_up_process(task);
	}
	while (waiting < trial->cpus && !trial->reading.wrong) {
		if (trial->nmis)
			send_nmi(&trial->writers[0]);
		if (try_wait_for_completion(&trial->writers[waiting].done))
			waiting++;
		else if (!ring_read_packet(&trial->reading))
			cond_resched();
	}
	for (; waiting < trial->cpus; waiting++) /* something is wrong, but they must end before their memory goes */
		wait_for_completion(&trial->writers[waiting].done);
	while (READ_ONCE(trial->writers[0].nmi_asked)) /* and so must the last NMI */
		cpu_relax();
	return 0;
}

static int judge(struct trial *trial)
{
	const struct maxlat_ring_header *header = trial->ring.header;
	u64 tried = 0, in_interrupts = 0, nested = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < trial->cpus; cpu++) {
		const struct writer *writer = &trial->writers[cpu];

		tried += writer->task.tried + writer->interrupt.tried + writer->nmi.tried;
		in_interrupts += writer->interrupt.tried;
		nested += writer->nested;
	}
	ring_settle(&trial->reading, tried);
	pr_info("%s: tried %llu in-interrupts %llu nested %llu in-nmis %llu nested-nmis %llu delivered %llu read %llu lost %llu %s\n",
		trial->name, tried, in_interrupts, nested, trial->writers[0].nmi.tried, trial->writers[0].nested_nmis,
		(u64)header->records_delivered, trial->reading.read,
		(u64)header->lost_full + header->lost_wrap + header->lost_big, trial->reading.wrong ?: "ok");
	return trial->reading.wrong ? -EIO : 0;
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
	    !maxlat_ring_reader_start(&trial->reading.reader, &trial->ring)) {
		vfree(memory);
		return -EINVAL;
	}
	status = run_writers(trial);
	if (status == 0) {
		if (trial->ownership == MAXLAT_RING_CPU)
			maxlat_ring_finalise(MAXLAT_RING_CPU, &trial->ring);
		else
			maxlat_ring_finalise(MAXLAT_RING_THREAD, &trial->ring); /* its owner has ended */
		status = judge(trial);
	}
	vfree(memory);
	return status;
}

static const struct trial kinds[] = {
	{ .name = "local-discard", .ownership = MAXLAT_RING_THREAD, .cpus = 1 },
	{ .name = "local-overwrite", .ownership = MAXLAT_RING_THREAD, .features = MAXLAT_RING_OVERWRITE, .cpus = 1 },
	{ .name = "local-promoted", .ownership = MAXLAT_RING_THREAD, .features = MAXLAT_RING_NEEDS_PROMOTION, .cpus = 1 },
	{ .name = "local-nmis-discard", .ownership = MAXLAT_RING_THREAD, .cpus = 1, .nmis = true },
	{ .name = "local-nmis-overwrite", .ownership = MAXLAT_RING_THREAD, .features = MAXLAT_RING_OVERWRITE, .cpus = 1,
	  .nmis = true },
	{ .name = "shared-discard", .ownership = MAXLAT_RING_CPU, .features = MAXLAT_RING_SHARED_WRITERS },
	{ .name = "shared-overwrite", .ownership = MAXLAT_RING_CPU,
	  .features = MAXLAT_RING_SHARED_WRITERS | MAXLAT_RING_OVERWRITE },
};

int ring_test_trials(void)
{
	static struct trial trial;
	unsigned int i;
	int status = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "maxlat_ring_trials");

	for (i = 0; status == 0 && i < ARRAY_SIZE(kinds); i++) {
		trial = kinds[i];
		if (trial.cpus == 0)
			trial.cpus = min_t(unsigned int, num_online_cpus(), MAX_CPUS);
		WRITE_ONCE(nmi_writer, trial.nmis ? &trial.writers[0] : NULL);
		status = run_trial(&trial);
		WRITE_ONCE(nmi_writer, NULL);
	}
	unregister_nmi_handler(NMI_LOCAL, "maxlat_ring_trials");
	return status;
}
