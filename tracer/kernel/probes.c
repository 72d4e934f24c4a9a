// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * What runs in a traced context: any, NMIs included. A probe takes no lock, allocates nothing, wakes nobody, faults on
 * nothing and calls nothing that can be traced (this file is built without ftrace's hooks, kernel/Kbuild). Preemption
 * is off: the tracepoint turned it off, or where a newer one does not, the probe (maxlat_probe_begin()).
 *
 * One probe is attached to a tracepoint, however many sessions want it. It looks into its CPU's table which do
 * (dispatch.h), and writes a record for each; so a further session costs its record and no second call.
 *
 * A type of a tracepoint that is not this kernel's stops the build: check_trace_callback_type_NAME().
 */
#include <linux/bitops.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/timer.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <asm/ptrace.h>
#if __has_include(<asm/trace/exceptions.h>) /* x86's own, until other processors had them, too */
#include <asm/trace/exceptions.h>
#else
#include <trace/events/exceptions.h>
#endif
#include <asm/trace/irq_vectors.h>
#include <trace/events/ipi.h>
#include <trace/events/irq.h>
#include <trace/events/nmi.h>
#include <trace/events/rcu.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>
#include <trace/events/task.h>
#include <trace/events/timer.h>
#include <trace/events/workqueue.h>

#include <maxlat/kernel/kernel_versions.h>
#include <maxlat/ring/record_write.h>

#include "dispatch.h"
#include "machine_counts.h"
#include "probes.h"
#include "text.h"

#define ARGUMENTS(...) __VA_ARGS__
#define NAMES(...) __VA_ARGS__

static __always_inline void copy_comm(char *to, const struct task_struct *task)
{
	BUILD_BUG_ON(TASK_COMM_LEN != MAXLAT_TRACE_NAME_BYTES);
	__builtin_memcpy(to, task->comm, MAXLAT_TRACE_NAME_BYTES);
}

/* As maxlat_ring_record_end, without the delivery. Returns the packet's commit count: who finds it to be a multiple of
 * a sub-buffer's size delivers. */
static __always_inline u64 commit_common(const struct maxlat_ring *ring, const struct maxlat_ring_record *record)
{
	const u64 packet = maxlat_ring_packet_number(&ring->shape, record->slot.position);
	u64 *const commit_count = record->slot.counts + MAXLAT_RING_COMMIT_COUNT + (packet & ring->shape.ring_mask);

	maxlat_ring_record_finish(record->slot.bytes, maxlat_ring_record_word(record->kind, packet, record->slot.time));
	/* release [W1]: ring/commit.h */
	return maxlat_ring_owner_add(MAXLAT_RING_THREAD, commit_count, record->slot.size + MAXLAT_RING_ONE_RECORD);
}

static __always_inline void deliver(const struct maxlat_ring *ring, u64 position, u64 commit)
{
	if (maxlat_ring_filled(&ring->shape, position, commit))
		maxlat_ring_deliver(MAXLAT_RING_THREAD, ring, position, commit);
}

/*
 * PROBE(kind of record, ARGUMENTS(of the tracepoint), NAMES(of them), where a text is that becomes `text`, or NULL,
 *       statements that fill *record).
 *
 * Edges of packets, long records, drops, deliveries and texts at the end of a page are left to functions that do the
 * rest of the sessions, too: the way there is a jump, because a call would make the probe save registers for it
 * (record_write.h).
 */
#define PROBE(kind, arguments, names, from, ...)                                                                       \
	/* Every case. */                                                                                              \
	static noinline void kind##_any(void *event, unsigned int sessions, arguments, struct text text)               \
	{                                                                                                              \
		for (; sessions; sessions &= sessions - 1) {                                                           \
			const struct maxlat_ring *ring = trace_ring_of(__ffs(sessions));                               \
			struct maxlat_kernel_##kind *record;                                                           \
			struct maxlat_ring_record slot;                                                                \
                                                                                                                       \
			if (!maxlat_ring_record_begin(MAXLAT_RING_THREAD, ring, (uintptr_t)event, sizeof(*record),     \
						      &slot))                                                          \
				continue;                                                                              \
			record = (struct maxlat_kernel_##kind *)slot.payload;                                          \
			__VA_ARGS__                                                                                    \
			maxlat_ring_record_end(MAXLAT_RING_THREAD, ring, &slot);                                       \
		}                                                                                                      \
		maxlat_probe_end();                                                                                    \
	}                                                                                                              \
	static noinline void kind##_afresh(void *event, unsigned int sessions, arguments)                              \
	{                                                                                                              \
		kind##_any(event, sessions, names, text_of(from));                                                     \
	}                                                                                                              \
	static noinline void kind##_deliver(void *event, unsigned int sessions, arguments, u64 position, u64 commit)   \
	{                                                                                                              \
		deliver(trace_ring_of(__ffs(sessions)), position, commit);                                             \
		kind##_afresh(event, sessions & (sessions - 1), names);                                                \
	}                                                                                                              \
	void trace_probe_##kind(void *event, arguments);                                                               \
	void trace_probe_##kind(void *event, arguments)                                                                \
	{                                                                                                              \
		const u32 id = (uintptr_t)event;                                                                       \
		unsigned int sessions;                                                                                 \
		struct text text = { { 0, 0 } };                                                                       \
                                                                                                                       \
		BUILD_BUG_ON(sizeof(struct maxlat_kernel_##kind) % 8 != 0);                                            \
		if (id > MAXLAT_KERNEL_EVENT_COUNT)                                                                    \
			__builtin_unreachable(); /* so it is none that takes a long record */                          \
		maxlat_probe_begin();                                                                                  \
		sessions = trace_sessions_of(id);                                                                      \
		if (!__builtin_constant_p(from)) { /* a kind with a text */                                            \
			if (!has_words(from))                                                                          \
				return kind##_afresh(event, sessions, names);                                          \
			text = text_by_word(from);                                                                     \
		}                                                                                                      \
		while (sessions) {                                                                                     \
			const struct maxlat_ring *ring = trace_ring_of(__ffs(sessions));                               \
			struct maxlat_kernel_##kind *record;                                                           \
			struct maxlat_ring_record slot;                                                                \
			u64 commit;                                                                                    \
                                                                                                                       \
			if (unlikely(!maxlat_ring_record_begin_common(MAXLAT_RING_THREAD, ring,                        \
								      maxlat_ring_unknown_cpu(), id,                   \
								      sizeof(*record), &slot)))                        \
				return kind##_any(event, sessions, names, text);                                       \
			record = (struct maxlat_kernel_##kind *)slot.payload;                                          \
			__VA_ARGS__                                                                                    \
			commit = commit_common(ring, &slot);                                                           \
			if (unlikely((commit & ring->shape.sub_buffer_mask) == 0))                                     \
				return kind##_deliver(event, sessions, names, slot.slot.position, commit);             \
			sessions &= sessions - 1;                                                                      \
			if (likely(!sessions))                                                                         \
				break;                                                                                 \
		}                                                                                                      \
		maxlat_probe_end();                                                                                    \
	}

PROBE(sched_switch,
      ARGUMENTS(bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state),
      NAMES(preempt, prev, next, prev_state), NULL,
	copy_comm(record->prev_comm, prev);
	record->prev_tid = prev->pid;
	record->prev_prio = prev->prio;
	record->prev_state = preempt ? 0 : prev_state; /* it goes on as soon as it may */
	copy_comm(record->next_comm, next);
	record->next_tid = next->pid;
	record->next_prio = next->prio;
)

PROBE(task_woken, ARGUMENTS(struct task_struct *task), NAMES(task), NULL,
	copy_comm(record->comm, task);
	record->tid = task->pid;
	record->prio = task->prio;
	record->target_cpu = task_cpu(task);
)

PROBE(sched_migrate_task, ARGUMENTS(struct task_struct *task, int dest_cpu), NAMES(task, dest_cpu), NULL,
	copy_comm(record->comm, task);
	record->tid = task->pid;
	record->prio = task->prio;
	record->orig_cpu = task_cpu(task);
	record->dest_cpu = dest_cpu;
)

PROBE(sched_process_fork, ARGUMENTS(struct task_struct *parent, struct task_struct *child), NAMES(parent, child), NULL,
	copy_comm(record->parent_comm, parent);
	record->parent_tid = parent->pid;
	record->parent_pid = parent->tgid;
	copy_comm(record->child_comm, child);
	record->child_tid = child->pid;
	record->child_pid = child->tgid;
)

PROBE(sched_process_exec, ARGUMENTS(struct task_struct *task, pid_t old_pid, struct linux_binprm *program),
      NAMES(task, old_pid, program), NULL,
	copy_comm(record->comm, task); /* already the new one */
	record->tid = task->pid;
	record->old_tid = old_pid;
)

PROBE(sched_process_exit, ARGUMENTS(struct task_struct *task MAXLAT_ALSO_OF_PROCESS_EXIT),
      NAMES(task MAXLAT_ALSO_NAMED_OF_PROCESS_EXIT), NULL,
	copy_comm(record->comm, task);
	record->tid = task->pid;
	record->prio = task->prio;
)

PROBE(sched_process_free, ARGUMENTS(struct task_struct *task), NAMES(task), NULL,
	copy_comm(record->comm, task);
	record->tid = task->pid;
	record->prio = task->prio;
)

/* As the kernel computes it for its own record. */
PROBE(sched_pi_setprio, ARGUMENTS(struct task_struct *task, struct task_struct *lender), NAMES(task, lender), NULL,
	copy_comm(record->comm, task);
	record->tid = task->pid;
	record->oldprio = task->prio;
	record->newprio = lender && lender->prio < task->normal_prio ? lender->prio : task->normal_prio;
)

PROBE(task_rename, ARGUMENTS(struct task_struct *task, const char *comm), NAMES(task, comm), comm,
	copy_comm(record->oldcomm, task);
	put_text(record->newcomm, text);
	record->tid = task->pid;
	record->prio = task->prio;
)

PROBE(irq_handler_entry, ARGUMENTS(int irq, struct irqaction *action), NAMES(irq, action), action->name,
	put_text(record->name, text);
	record->irq = irq;
)

PROBE(irq_handler_exit, ARGUMENTS(int irq, struct irqaction *action, int ret), NAMES(irq, action, ret), NULL,
	record->irq = irq;
	record->ret = ret;
)

PROBE(softirq, ARGUMENTS(unsigned int vec), NAMES(vec), NULL, record->vec = vec;)

PROBE(irq_vector, ARGUMENTS(int vector), NAMES(vector), NULL, record->vector = vector;)

PROBE(hrtimer_expire_entry, ARGUMENTS(struct hrtimer *timer, MAXLAT_HRTIMER_NOW now), NAMES(timer, now), NULL,
	record->hrtimer = (uintptr_t)timer;
	record->function = (uintptr_t)timer->function;
	record->lateness_ns = MAXLAT_HRTIMER_NOW_NS(now) - hrtimer_get_expires(timer);
)

PROBE(hrtimer_expire_exit, ARGUMENTS(struct hrtimer *timer), NAMES(timer), NULL, record->hrtimer = (uintptr_t)timer;)

PROBE(timer_expire_entry, ARGUMENTS(struct timer_list *timer, unsigned long clock), NAMES(timer, clock), NULL,
	record->timer = (uintptr_t)timer;
	record->function = (uintptr_t)timer->function;
	record->lateness_ticks = (long)(clock - timer->expires);
)

PROBE(timer_expire_exit, ARGUMENTS(struct timer_list *timer), NAMES(timer), NULL, record->timer = (uintptr_t)timer;)

PROBE(tick_stop, ARGUMENTS(int success, int dependency), NAMES(success, dependency), NULL,
	record->success = success;
	record->dependency = dependency;
)

PROBE(nmi_handler, ARGUMENTS(void *handler, s64 delta_ns, int handled), NAMES(handler, delta_ns, handled), NULL,
	record->handler = (uintptr_t)handler;
	record->delta_ns = delta_ns;
	record->handled = handled;
)

PROBE(ipi_send_cpu, ARGUMENTS(unsigned int cpu, unsigned long callsite, void *callback),
      NAMES(cpu, callsite, callback), NULL,
	record->callsite = callsite;
	record->callback = (uintptr_t)callback;
	record->cpu = cpu;
)

static __always_inline bool has_cpus_above_63(const struct cpumask *cpumask)
{
	unsigned long others = 0;
	unsigned int i;

	for (i = 1; i < BITS_TO_LONGS(nr_cpu_ids); i++)
		others |= cpumask_bits(cpumask)[i];
	return others != 0;
}

PROBE(ipi_send_cpumask, ARGUMENTS(const struct cpumask *cpumask, unsigned long callsite, void *callback),
      NAMES(cpumask, callsite, callback), NULL,
	record->callsite = callsite;
	record->callback = (uintptr_t)callback;
	record->cpus = cpumask_bits(cpumask)[0];
	record->above_63 = has_cpus_above_63(cpumask);
)

PROBE(page_fault, ARGUMENTS(unsigned long address, struct pt_regs *registers, unsigned long error_code),
      NAMES(address, registers, error_code), NULL,
	record->address = address;
	record->ip = registers->ip;
	record->error_code = error_code;
)

PROBE(workqueue_execute_start, ARGUMENTS(struct work_struct *work), NAMES(work), NULL,
	record->work = (uintptr_t)work;
	record->function = (uintptr_t)work->func;
)

PROBE(workqueue_execute_end, ARGUMENTS(struct work_struct *work, work_func_t function), NAMES(work, function), NULL,
	record->work = (uintptr_t)work; /* only its address: it may be freed */
	record->function = (uintptr_t)function;
)

PROBE(rcu_utilization, ARGUMENTS(const char *s), NAMES(s), s, put_text(record->s, text);)

PROBE(sys_enter, ARGUMENTS(struct pt_regs *registers, long number), NAMES(registers, number), NULL,
	record->id = number;
	record->arg0 = registers->di;
	record->arg1 = registers->si;
	record->arg2 = registers->dx;
	record->arg3 = registers->r10;
	record->arg4 = registers->r8;
	record->arg5 = registers->r9;
)

PROBE(sys_exit, ARGUMENTS(struct pt_regs *registers, long ret), NAMES(registers, ret), NULL,
	record->id = registers->orig_ax;
	record->ret = ret;
)

/* The record of machine_counts, when there is one. */
#define maxlat_kernel_changed_counts maxlat_kernel_machine_counts
PROBE(changed_counts, ARGUMENTS(u64 smi, u64 nmi), NAMES(smi, nmi), NULL,
	record->smi = smi;
	record->nmi = nmi;
)

static void trace_probe_machine_counts(void *event, int vector)
{
	struct trace_counts now;

	maxlat_probe_begin();
	if (trace_sessions_of(MAXLAT_KERNEL_machine_counts) && trace_counts_changed(&now))
		trace_probe_changed_counts(event, now.smi, now.nmi);
	maxlat_probe_end();
}

static void check_trace_callback_type_machine_counts(void (*probe)(void *, int))
{
	check_trace_callback_type_local_timer_entry(probe);
}

#ifndef MAXLAT_HAS_IPI_TRACEPOINTS
static void check_trace_callback_type_ipi_send_cpu(void (*probe)(void *, unsigned int, unsigned long, void *))
{
}
static void check_trace_callback_type_ipi_send_cpumask(void (*probe)(void *, const struct cpumask *, unsigned long,
								     void *))
{
}
#endif

static void __maybe_unused check_types(void)
{
#define CHECK(id, group, event, record) check_trace_callback_type_##event(trace_probe_##record);
	MAXLAT_KERNEL_EVENTS(CHECK)
#undef CHECK
}

const struct trace_probe trace_probes[MAXLAT_KERNEL_EVENT_COUNT] = {
#define ROW(id, group, event, record) [id - 1] = { .name = #event, .function = trace_probe_##record },
	MAXLAT_KERNEL_EVENTS(ROW)
#undef ROW
};
