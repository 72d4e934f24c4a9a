// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * What an event of the kernel tracer (maxlat_trace) costs in instructions, for each kind of record: the probe that is
 * attached to the kernel's own tracepoint is called as the tracepoint would, with arguments made up here. A session
 * that has the event runs (kernel_trace_sessions hold).
 *
 * "Tracepoint to return" is the probe from call to return, and what a tracepoint itself does around it, which is
 * measured at one of ours with a probe that does nothing.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include <maxlat/kernel/kernel_versions.h>
#include <maxlat/trace/kernel/kernel_events.h>

#include "ring_costs_event.h"
#include "ring_measure.h"
#include "ring_test.h"

static void do_nothing(void *data, u64 first, u64 second, u64 third)
{
}

/* The same, called by address, as the probes below: volatile, so that it is. */
static void (*volatile nothing_called)(void *data, u64 first, u64 second, u64 third) = do_nothing;

/* RETURNS: what to take off a call by address, so that the rest is what a tracepoint with that probe takes; may be
 * negative: a tracepoint takes more than the call. */
static s64 call_without_tracepoint(void)
{
	s64 call;

	RING_MEASURE(nothing_called(NULL, event, event, event));
	call = ring_taken[RING_MEASURED_EVENTS / 2];
	if (register_trace_maxlat_ring_cost(do_nothing, NULL))
		return 0;
	RING_MEASURE(trace_maxlat_ring_cost(event, event, event));
	unregister_trace_maxlat_ring_cost(do_nothing, NULL);
	tracepoint_synchronize_unregister();
	return call - ((s64)ring_taken[RING_MEASURED_EVENTS / 2] - (s64)ring_measure_nothing());
}

static struct irqaction action = { .name = "virtio0-input.0" };
static struct hrtimer timer;
static struct timer_list old_timer;
static struct work_struct work;
static ktime_t now;
static char name[] = "kworker/0:1";

/* The probe that maxlat_trace has attached for one of its events; NULL: none, or somebody else is attached, too. */
static const struct tracepoint_func *probe_of(struct tracepoint *tracepoint, u32 id)
{
	const struct tracepoint_func *attached = rcu_dereference_raw(tracepoint->funcs), *found = NULL;

	for (; attached->func; attached++) {
		if ((uintptr_t)attached->data > MAXLAT_KERNEL_EVENT_COUNT)
			return NULL;
		if ((uintptr_t)attached->data == id)
			found = attached;
	}
	return found;
}

#define UNPACK(...) __VA_ARGS__
/* POINT(event, (types), (arguments)). */
#define POINT(name, types, arguments)                                                                                  \
	static int measure_##name(struct tracepoint *tracepoint)                                                       \
	{                                                                                                              \
		const struct tracepoint_func *attached = probe_of(tracepoint, MAXLAT_KERNEL_##name);                   \
		void (*volatile probe)(void *, UNPACK types);                                                          \
                                                                                                                       \
		if (!attached)                                                                                         \
			return -EBUSY;                                                                                 \
		probe = (void (*)(void *, UNPACK types))attached->func;                                                \
		RING_MEASURE(probe(attached->data, UNPACK arguments));                                                 \
		return 0;                                                                                              \
	}

POINT(sched_switch, (bool, struct task_struct *, struct task_struct *, unsigned int), (false, current, current, 1))
POINT(sched_waking, (struct task_struct *), (current))
POINT(sched_migrate_task, (struct task_struct *, int), (current, 1))
POINT(sched_process_fork, (struct task_struct *, struct task_struct *), (current, current))
POINT(task_rename, (struct task_struct *, const char *), (current, name))
POINT(irq_handler_entry, (int, struct irqaction *), (24, &action))
POINT(irq_handler_exit, (int, struct irqaction *, int), (24, &action, 1))
POINT(softirq_entry, (unsigned int), (3))
POINT(local_timer_entry, (int), (236))
POINT(hrtimer_expire_entry, (struct hrtimer *, MAXLAT_HRTIMER_NOW), (&timer, MAXLAT_HRTIMER_NOW_OF(now)))
POINT(timer_expire_entry, (struct timer_list *, unsigned long), (&old_timer, 5))
POINT(nmi_handler, (void *, s64, int), (name, 1000, 1))
POINT(ipi_send_cpu, (unsigned int, unsigned long, void *), (1, 2, name))
POINT(page_fault_user, (unsigned long, struct pt_regs *, unsigned long), (1, task_pt_regs(current), 4))
POINT(workqueue_execute_start, (struct work_struct *), (&work))
POINT(rcu_utilization, (const char *), (name))
POINT(sys_enter, (struct pt_regs *, long), (task_pt_regs(current), 39))
POINT(sys_exit, (struct pt_regs *, long), (task_pt_regs(current), 39))
POINT(machine_counts, (int), (236)) /* of a tick at which no count has changed: nothing is recorded */

#define PREFIX "trace-"
#define ROW_AT(point, event) { .name = PREFIX #event, .at = #point, .measure = measure_##event }
#define ROW(event) ROW_AT(event, event)
static struct trace_point {
	const char *name;
	const char *at; /* the tracepoint */
	int (*measure)(struct tracepoint *tracepoint);
	struct tracepoint *tracepoint;
} points[] = {
	ROW(sched_switch), ROW(sched_waking), ROW(sched_migrate_task), ROW(sched_process_fork), ROW(task_rename),
	ROW(irq_handler_entry), ROW(irq_handler_exit), ROW(softirq_entry), ROW(local_timer_entry),
	ROW(hrtimer_expire_entry), ROW(timer_expire_entry), ROW(nmi_handler), ROW(ipi_send_cpu), ROW(page_fault_user),
	ROW(workqueue_execute_start), ROW(rcu_utilization), ROW(sys_enter), ROW(sys_exit),
	ROW_AT(local_timer_entry, machine_counts),
};

static void match(struct tracepoint *tracepoint, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(points); i++) {
		if (strcmp(tracepoint->name, points[i].at) == 0)
			points[i].tracepoint = tracepoint;
	}
}

/* A way of the kernel's own past two tracepoints, sched_waking and sched_wakeup: a task that is about to sleep wakes
 * itself. What it takes shows whether the module left something behind. */
int ring_test_wake_up(void)
{
	const u64 nothing = ring_measure_nothing();

	RING_MEASURE(({
		__set_current_state(TASK_INTERRUPTIBLE);
		wake_up_process(current);
	}));
	ring_measure_tell("wake-up", nothing);
	return 0;
}

int ring_test_trace_costs(void)
{
	const s64 around = call_without_tracepoint();
	unsigned int i;
	int error;

	for_each_kernel_tracepoint(match, NULL);
	for (i = 0; i < ARRAY_SIZE(points); i++) {
		if (!points[i].tracepoint || !rcu_access_pointer(points[i].tracepoint->funcs))
			continue; /* not on this kernel */
		error = points[i].measure(points[i].tracepoint);
		if (error) {
			pr_err("costs: %s: somebody else is attached\n", points[i].name);
			return error;
		}
		ring_measure_tell(points[i].name, around);
	}
	return 0;
}
