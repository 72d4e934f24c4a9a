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
#include <asm/trace/exceptions.h>
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
#include "probes.h"

#define ARGUMENTS(...) __VA_ARGS__

/* PROBE(kind of record, ARGUMENTS(of the tracepoint), statements that fill *record). */
#define PROBE(kind, arguments, ...)                                                                                    \
	void trace_probe_##kind(void *event, arguments)                                                                \
	{                                                                                                              \
		const u32 id = (uintptr_t)event;                                                                       \
		unsigned int sessions;                                                                                 \
                                                                                                                       \
		BUILD_BUG_ON(sizeof(struct maxlat_kernel_##kind) % 8 != 0);                                            \
		if (id > MAXLAT_KERNEL_EVENT_COUNT)                                                                    \
			__builtin_unreachable(); /* so it is none that takes a long record */                          \
		maxlat_probe_begin();                                                                                  \
		for (sessions = trace_sessions_of(id); sessions; sessions &= sessions - 1) {                           \
			const struct maxlat_ring *ring = trace_ring_of(__ffs(sessions));                               \
			struct maxlat_ring_record slot;                                                                \
			struct maxlat_kernel_##kind *record;                                                           \
                                                                                                                       \
			if (!maxlat_ring_record_begin(MAXLAT_RING_THREAD, ring, id, sizeof(*record), &slot))           \
				continue;                                                                              \
			record = (struct maxlat_kernel_##kind *)slot.payload;                                          \
			__VA_ARGS__                                                                                    \
			maxlat_ring_record_end(MAXLAT_RING_THREAD, ring, &slot);                                       \
		}                                                                                                      \
		maxlat_probe_end();                                                                                    \
	}

static __always_inline void copy_comm(char *to, const struct task_struct *task)
{
	BUILD_BUG_ON(TASK_COMM_LEN != MAXLAT_TRACE_NAME_BYTES);
	__builtin_memcpy(to, task->comm, MAXLAT_TRACE_NAME_BYTES);
}

static __always_inline u64 word_at(const char *from)
{
	u64 word;

	__builtin_memcpy(&word, from, sizeof(word));
	return word;
}

/* A byte of `word` that is zero has its upper bit in here, and so may bytes behind it. */
static __always_inline u64 zero_bytes(u64 word)
{
	return (word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull;
}

/* `word` up to its first zero byte. `zeros`: of it, not 0. */
static __always_inline u64 before_zero(u64 word, u64 zeros)
{
	return word & (((zeros - 1) & ~zeros) >> 7);
}

static noinline void copy_name_by_byte(char *to, const char *name)
{
	unsigned int i;

	for (i = 0; i < MAXLAT_TRACE_NAME_BYTES - 1 && name && name[i]; i++)
		to[i] = name[i];
	for (; i < MAXLAT_TRACE_NAME_BYTES; i++)
		to[i] = '\0';
}

/* Cut to 15 bytes, zero behind its end. By words, which may lie behind the text, but in the page of its beginning. */
static __always_inline void copy_name(char *to, const char *name)
{
	u64 *const words = (u64 *)to;
	u64 first, second, zeros;

	if (unlikely(!name || offset_in_page(name) > PAGE_SIZE - MAXLAT_TRACE_NAME_BYTES)) {
		copy_name_by_byte(to, name);
		return;
	}
	first = word_at(name);
	zeros = zero_bytes(first);
	if (zeros) {
		words[0] = before_zero(first, zeros);
		words[1] = 0;
		return;
	}
	second = word_at(name + 8) & ~(0xffull << 56); /* the last byte is zero */
	words[0] = first;
	words[1] = before_zero(second, zero_bytes(second));
}

static PROBE(sched_switch,
      ARGUMENTS(bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state),
	copy_comm(record->prev_comm, prev);
	record->prev_tid = prev->pid;
	record->prev_prio = prev->prio;
	record->prev_state = preempt ? 0 : prev_state; /* it goes on as soon as it may */
	copy_comm(record->next_comm, next);
	record->next_tid = next->pid;
	record->next_prio = next->prio;
)

static PROBE(task_woken, ARGUMENTS(struct task_struct *task),
	copy_comm(record->comm, task);
	record->tid = task->pid;
	record->prio = task->prio;
	record->target_cpu = task_cpu(task);
)

static PROBE(sched_migrate_task, ARGUMENTS(struct task_struct *task, int dest_cpu),
	copy_comm(record->comm, task);
	record->tid = task->pid;
	record->prio = task->prio;
	record->orig_cpu = task_cpu(task);
	record->dest_cpu = dest_cpu;
)

static PROBE(sched_process_fork, ARGUMENTS(struct task_struct *parent, struct task_struct *child),
	copy_comm(record->parent_comm, parent);
	record->parent_tid = parent->pid;
	record->parent_pid = parent->tgid;
	copy_comm(record->child_comm, child);
	record->child_tid = child->pid;
	record->child_pid = child->tgid;
)

static PROBE(sched_process_exec, ARGUMENTS(struct task_struct *task, pid_t old_pid, struct linux_binprm *program),
	copy_comm(record->comm, task); /* already the new one */
	record->tid = task->pid;
	record->old_tid = old_pid;
)

static PROBE(sched_process_exit, ARGUMENTS(struct task_struct *task MAXLAT_ALSO_OF_PROCESS_EXIT),
	copy_comm(record->comm, task);
	record->tid = task->pid;
	record->prio = task->prio;
)

static PROBE(task_rename, ARGUMENTS(struct task_struct *task, const char *comm),
	copy_comm(record->oldcomm, task);
	copy_name(record->newcomm, comm);
	record->tid = task->pid;
	record->prio = task->prio;
)

static PROBE(irq_handler_entry, ARGUMENTS(int irq, struct irqaction *action),
	copy_name(record->name, action->name);
	record->irq = irq;
)

static PROBE(irq_handler_exit, ARGUMENTS(int irq, struct irqaction *action, int ret),
	record->irq = irq;
	record->ret = ret;
)

static PROBE(softirq, ARGUMENTS(unsigned int vec), record->vec = vec;)

static PROBE(irq_vector, ARGUMENTS(int vector), record->vector = vector;)

static PROBE(hrtimer_expire_entry, ARGUMENTS(struct hrtimer *timer, ktime_t *now),
	record->hrtimer = (uintptr_t)timer;
	record->function = (uintptr_t)timer->function;
	record->lateness_ns = *now - hrtimer_get_expires(timer);
)

static PROBE(hrtimer_expire_exit, ARGUMENTS(struct hrtimer *timer), record->hrtimer = (uintptr_t)timer;)

static PROBE(timer_expire_entry, ARGUMENTS(struct timer_list *timer, unsigned long clock),
	record->timer = (uintptr_t)timer;
	record->function = (uintptr_t)timer->function;
	record->lateness_ticks = (long)(clock - timer->expires);
)

static PROBE(timer_expire_exit, ARGUMENTS(struct timer_list *timer), record->timer = (uintptr_t)timer;)

static PROBE(tick_stop, ARGUMENTS(int success, int dependency),
	record->success = success;
	record->dependency = dependency;
)

static PROBE(nmi_handler, ARGUMENTS(void *handler, s64 delta_ns, int handled),
	record->handler = (uintptr_t)handler;
	record->delta_ns = delta_ns;
	record->handled = handled;
)

PROBE(ipi_send_cpu, ARGUMENTS(unsigned int cpu, unsigned long callsite, void *callback),
	record->callsite = callsite;
	record->callback = (uintptr_t)callback;
	record->cpu = cpu;
)

PROBE(ipi_send_cpumask, ARGUMENTS(const struct cpumask *cpumask, unsigned long callsite, void *callback),
	record->callsite = callsite;
	record->callback = (uintptr_t)callback;
	record->cpus = cpumask_bits(cpumask)[0];
)

static PROBE(page_fault, ARGUMENTS(unsigned long address, struct pt_regs *registers, unsigned long error_code),
	record->address = address;
	record->ip = registers->ip;
	record->error_code = error_code;
)

static PROBE(workqueue_execute_start, ARGUMENTS(struct work_struct *work),
	record->work = (uintptr_t)work;
	record->function = (uintptr_t)work->func;
)

static PROBE(workqueue_execute_end, ARGUMENTS(struct work_struct *work, work_func_t function),
	record->work = (uintptr_t)work; /* only its address: it may be freed */
	record->function = (uintptr_t)function;
)

static PROBE(rcu_utilization, ARGUMENTS(const char *s), copy_name(record->s, s);)

static PROBE(sys_enter, ARGUMENTS(struct pt_regs *registers, long number),
	record->id = number;
	record->arg0 = registers->di;
	record->arg1 = registers->si;
	record->arg2 = registers->dx;
	record->arg3 = registers->r10;
	record->arg4 = registers->r8;
	record->arg5 = registers->r9;
)

static PROBE(sys_exit, ARGUMENTS(struct pt_regs *registers, long ret),
	record->id = registers->orig_ax;
	record->ret = ret;
)

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
