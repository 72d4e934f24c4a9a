// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * What runs in a traced context: any, NMIs included. A probe takes no lock, allocates nothing, wakes nobody, faults on
 * nothing and calls nothing that can be traced (this file is built without ftrace's hooks, kernel/Kbuild). Preemption
 * is off: the tracepoint turned it off. Contract: probes.h.
 * A type of a tracepoint that is not this kernel's stops the build: check_trace_callback_type_NAME().
 */
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/irq.h>
#include <trace/events/sched.h>
#include <trace/events/timer.h>

#include <maxlat/ring/record_write.h>

#include "probes.h"
#include "session.h"

#define ARGUMENTS(...) __VA_ARGS__

/* PROBE(event, ARGUMENTS(of the tracepoint), statements that fill *record). */
#define PROBE(event, arguments, ...)                                                                                   \
	static void notrace probe_##event(void *data, arguments)                                                       \
	{                                                                                                              \
		const struct trace_session *session = data;                                                            \
		const struct maxlat_ring *ring = &session->rings[smp_processor_id()]->ring;                            \
		struct maxlat_ring_record slot;                                                                        \
		struct maxlat_kernel_##event *record;                                                                  \
                                                                                                                       \
		BUILD_BUG_ON(sizeof(*record) % 8 != 0);                                                                \
		if (!READ_ONCE(session->active))                                                                       \
			return;                                                                                        \
		if (!maxlat_ring_record_begin(MAXLAT_RING_THREAD, ring, MAXLAT_KERNEL_##event, sizeof(*record),        \
					      &slot))                                                                  \
			return;                                                                                        \
		record = (struct maxlat_kernel_##event *)slot.payload;                                                 \
		__VA_ARGS__                                                                                            \
		maxlat_ring_record_end(MAXLAT_RING_THREAD, ring, &slot);                                               \
	}

static __always_inline void copy_comm(char *to, const struct task_struct *task)
{
	BUILD_BUG_ON(TASK_COMM_LEN != MAXLAT_TRACE_NAME_BYTES);
	__builtin_memcpy(to, task->comm, MAXLAT_TRACE_NAME_BYTES);
}

/* Whole, zero behind its end. */
static __always_inline void copy_name(char *to, const char *name)
{
	unsigned int i;

	for (i = 0; i < MAXLAT_TRACE_NAME_BYTES - 1 && name && name[i]; i++)
		to[i] = name[i];
	for (; i < MAXLAT_TRACE_NAME_BYTES; i++)
		to[i] = '\0';
}

PROBE(sched_switch,
      ARGUMENTS(bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state),
	copy_comm(record->prev_comm, prev);
	record->prev_tid = prev->pid;
	record->prev_prio = prev->prio;
	record->prev_state = preempt ? 0 : prev_state; /* it goes on as soon as it may */
	copy_comm(record->next_comm, next);
	record->next_tid = next->pid;
	record->next_prio = next->prio;
)

PROBE(sched_waking, ARGUMENTS(struct task_struct *task),
	copy_comm(record->comm, task);
	record->tid = task->pid;
	record->prio = task->prio;
	record->target_cpu = task_cpu(task);
)

PROBE(irq_handler_entry, ARGUMENTS(int irq, struct irqaction *action),
	copy_name(record->name, action->name);
	record->irq = irq;
)

PROBE(irq_handler_exit, ARGUMENTS(int irq, struct irqaction *action, int ret),
	record->irq = irq;
	record->ret = ret;
)

PROBE(softirq_entry, ARGUMENTS(unsigned int vec), record->vec = vec;)
PROBE(softirq_exit, ARGUMENTS(unsigned int vec), record->vec = vec;)

PROBE(hrtimer_expire_entry, ARGUMENTS(struct hrtimer *timer, ktime_t *now),
	record->hrtimer = (uintptr_t)timer;
	record->function = (uintptr_t)timer->function;
	record->lateness_ns = *now - hrtimer_get_expires(timer);
)

PROBE(hrtimer_expire_exit, ARGUMENTS(struct hrtimer *timer), record->hrtimer = (uintptr_t)timer;)

static struct probe {
	const char *name;
	void *function;
	struct tracepoint *tracepoint;
} probes[MAXLAT_KERNEL_EVENT_COUNT] = {
#define ROW(id, event) [id - 1] = { .name = #event, .function = probe_##event },
	MAXLAT_KERNEL_EVENTS(ROW)
#undef ROW
};

static void check_types(void)
{
#define CHECK(id, event) check_trace_callback_type_##event(probe_##event);
	MAXLAT_KERNEL_EVENTS(CHECK)
#undef CHECK
}

static void match(struct tracepoint *tracepoint, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (strcmp(tracepoint->name, probes[i].name) == 0)
			probes[i].tracepoint = tracepoint;
	}
}

void trace_probes_find(void)
{
	check_types();
	for_each_kernel_tracepoint(match, NULL);
}

u64 trace_probes_known(void)
{
	u64 known = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (probes[i].tracepoint)
			known |= BIT_ULL(i);
	}
	return known;
}

int trace_probes_attach(struct trace_session *session, u64 events)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		int error = 0;

		if (events & BIT_ULL(i))
			error = tracepoint_probe_register(probes[i].tracepoint, probes[i].function, session);
		if (error) {
			trace_probes_detach(session, events & (BIT_ULL(i) - 1));
			return error;
		}
	}
	return 0;
}

void trace_probes_detach(struct trace_session *session, u64 events)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (events & BIT_ULL(i))
			tracepoint_probe_unregister(probes[i].tracepoint, probes[i].function, session);
	}
	tracepoint_synchronize_unregister();
}
