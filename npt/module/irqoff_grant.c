// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Grants of IOPL 3, and the watchdog that ends a task which abuses one.
 *
 * A grant is two bits in the flags that the task's next return to user space loads (its pt_regs). Whoever takes it away
 * changes the same two bits, and may do so only while the task is not in user space:
 *
 *   the task itself, in our ioctl or when it closes the descriptor
 *   the scheduler moves it to another CPU      tracepoint sched_migrate_task: the task is not running then
 *   it forks                                   tracepoint sched_process_fork: the child has not run yet
 *   the watchdog's NMI on its CPU              the NMI's return is the return to user space
 *   exec and exit                              the kernel makes new flags, or never returns
 *
 * One place per CPU: a granted task is bound to one CPU, and loses the grant when it leaves it. So the watchdog knows
 * where to look, and the CPU that watches can never be the one whose interrupts are off.
 *
 * LOCKS  `grants_lock` for giving and freeing. The timer, the NMI and the tracepoints take none: a place is static
 *   memory, `task` is written once by its own task before it has the bits, and cleared after they are gone and after
 *   the watchdog has let go of it (free_place).
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/security.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <asm/apic.h>
#include <asm/nmi.h>
#include <asm/processor-flags.h>

#include <maxlat/kernel/kernel_versions.h>

#include "irqoff.h"

struct irqoff_grant {
	struct task_struct *task; /* holds a reference; null: the place is free */
	unsigned int cpu;
	u64 limit_ns;
	ktime_t asked; /* when the question went out */
	bool waiting;  /* for its answer */
	atomic_t shoot; /* an NMI is on its way */
	call_single_data_t question;
	struct irq_work kill;
};

static bool allow_unwatched;
module_param(allow_unwatched, bool, 0400);
MODULE_PARM_DESC(allow_unwatched, "grant even where no other CPU can watch the task (one-CPU test machines)");

static DEFINE_PER_CPU(struct irqoff_grant, grants);
static DEFINE_MUTEX(grants_lock);
static struct cpumask granted_cpus; /* grants_lock to write */
static int watching_cpu = -1;       /* grants_lock */
static struct hrtimer watch_timer;
static u64 watch_period_ns;
static enum cpuhp_state hotplug_state;

/* Takes the privilege from a task that is not in user space now, and leaves it with interrupts on. */
static void take_away(struct pt_regs *regs)
{
	regs->flags = (regs->flags & ~(unsigned long)X86_EFLAGS_IOPL) | X86_EFLAGS_IF;
}

static void send_nmi(unsigned int cpu)
{
	/* not __apic_send_IPI(): from 6.6 on its static call is not exported; this pointer is, everywhere, and leads
	   there too */
	apic->send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
}

/* Runs on the granted CPU as soon as its interrupts are on. */
static void answer(void *place)
{
	struct irqoff_grant *grant = place;

	WRITE_ONCE(grant->waiting, false);
}

static void kill_holder(struct irq_work *work)
{
	struct irqoff_grant *grant = container_of(work, struct irqoff_grant, kill);
	struct task_struct *task = READ_ONCE(grant->task);

	if (task)
		send_sig(SIGKILL, task, 1);
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	struct irqoff_grant *grant = this_cpu_ptr(&grants);

	if (!atomic_xchg(&grant->shoot, 0))
		return NMI_DONE;
	if (user_mode(regs) && current == READ_ONCE(grant->task) && !(regs->flags & X86_EFLAGS_IF)) {
		take_away(regs);
		irq_work_queue(&grant->kill);
		pr_warn("%s[%d] kept interrupts off longer than its limit on CPU %u: killed\n",
			current->comm, current->pid, grant->cpu);
	}
	return NMI_HANDLED;
}

static void watch(struct irqoff_grant *grant, ktime_t now)
{
	if (!READ_ONCE(grant->waiting)) {
		grant->asked = now;
		WRITE_ONCE(grant->waiting, true);
		if (smp_call_function_single_async(grant->cpu, &grant->question))
			WRITE_ONCE(grant->waiting, false); /* the last answer is just being given */
	} else if (ktime_to_ns(ktime_sub(now, grant->asked)) > grant->limit_ns) {
		if (!atomic_xchg(&grant->shoot, 1))
			send_nmi(grant->cpu);
	}
}

static enum hrtimer_restart on_watch(struct hrtimer *timer)
{
	const ktime_t now = ktime_get();
	unsigned int cpu;

	for_each_cpu(cpu, &granted_cpus)
		watch(per_cpu_ptr(&grants, cpu), now);
	hrtimer_forward_now(timer, ns_to_ktime(READ_ONCE(watch_period_ns)));
	return HRTIMER_RESTART;
}

static void start_watching(void *unused)
{
	hrtimer_start(&watch_timer, ns_to_ktime(watch_period_ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * Finds a CPU that can watch when `cpu` gets a grant, and moves the timer there. REQUIRES: grants_lock, cpus_read_lock.
 */
static int arrange_watch(unsigned int cpu, u64 limit_ns)
{
	unsigned int candidate;

	watch_period_ns = max(min(watch_period_ns ?: limit_ns, limit_ns / 4), (u64)NSEC_PER_MSEC);
	if (watching_cpu >= 0 && watching_cpu != cpu)
		return 0;
	for_each_online_cpu(candidate) {
		if (candidate == cpu || cpumask_test_cpu(candidate, &granted_cpus))
			continue;
		hrtimer_cancel(&watch_timer);
		watching_cpu = candidate;
		return smp_call_function_single(candidate, start_watching, NULL, 1);
	}
	return allow_unwatched ? 0 : -EBUSY;
}

static void nothing(void *unused)
{
}

static void free_place(struct irqoff_grant *grant)
{
	struct task_struct *task = grant->task;

	cpumask_clear_cpu(grant->cpu, &granted_cpus);
	if (cpumask_empty(&granted_cpus)) {
		hrtimer_cancel(&watch_timer);
		watching_cpu = -1;
		watch_period_ns = 0;
	} else if (watching_cpu >= 0) {
		/* the timer may be looking at this place still: when a call on its CPU has returned, it is not */
		smp_call_function_single(watching_cpu, nothing, NULL, 1);
	}
	while (READ_ONCE(grant->waiting)) /* a question is under way; that CPU has interrupts on now, and will answer */
		msleep(1);
	irq_work_sync(&grant->kill);
	atomic_set(&grant->shoot, 0);
	WRITE_ONCE(grant->task, NULL);
	put_task_struct(task);
}

int irqoff_grant_give(u64 limit_ns, struct irqoff_grant **given)
{
	struct irqoff_grant *grant;
	int error;

	if (!capable(CAP_SYS_RAWIO) || security_locked_down(LOCKDOWN_IOPORT))
		return -EPERM;
	if (limit_ns < MAXLAT_IRQOFF_MIN_LIMIT_NS || limit_ns > MAXLAT_IRQOFF_MAX_LIMIT_NS)
		return -EINVAL;
	if (current->nr_cpus_allowed != 1)
		return -EINVAL;
	cpus_read_lock();
	mutex_lock(&grants_lock);
	grant = per_cpu_ptr(&grants, task_cpu(current));
	error = grant->task ? -EBUSY : arrange_watch(grant->cpu, limit_ns);
	if (!error) {
		grant->limit_ns = limit_ns;
		grant->waiting = false;
		WRITE_ONCE(grant->task, get_task_struct(current));
		cpumask_set_cpu(grant->cpu, &granted_cpus);
		preempt_disable(); /* so that a move to another CPU is either before the test or finds the bits */
		if (raw_smp_processor_id() == grant->cpu)
			task_pt_regs(current)->flags |= X86_EFLAGS_IOPL;
		else
			error = -EINVAL;
		preempt_enable();
		if (error)
			free_place(grant);
		else
			*given = grant;
	}
	mutex_unlock(&grants_lock);
	cpus_read_unlock();
	return error;
}

int irqoff_grant_revoke(struct irqoff_grant *grant)
{
	if (grant->task != current)
		return -EPERM;
	take_away(task_pt_regs(current));
	return 0;
}

void irqoff_grant_free(struct irqoff_grant *grant)
{
	/* The last reference is gone but the holder lives: another thread closed it. Nothing could take it away. */
	while (grant->task != current && !(READ_ONCE(grant->task->flags) & PF_EXITING) &&
	       (task_pt_regs(grant->task)->flags & X86_EFLAGS_IOPL)) {
		send_sig(SIGKILL, grant->task, 1); /* with interrupts off it hears of it from the watchdog */
		msleep(1);
	}
	cpus_read_lock();
	mutex_lock(&grants_lock);
	free_place(grant);
	mutex_unlock(&grants_lock);
	cpus_read_unlock();
}

static void on_fork(void *unused, struct task_struct *parent, struct task_struct *child)
{
	if (!(child->flags & PF_KTHREAD) && (task_pt_regs(child)->flags & X86_EFLAGS_IOPL))
		take_away(task_pt_regs(child));
}

static void on_migrate(void *unused, struct task_struct *task, int destination)
{
	if (READ_ONCE(per_cpu_ptr(&grants, task_cpu(task))->task) == task)
		take_away(task_pt_regs(task));
}

static struct {
	const char *name;
	void *function;
	struct tracepoint *tracepoint;
} probes[] = {
	{"sched_process_fork", on_fork},
	{"sched_migrate_task", on_migrate},
};

static void find_tracepoint(struct tracepoint *tracepoint, void *unused)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tracepoint->name, probes[i].name))
			probes[i].tracepoint = tracepoint;
}

static void unregister_probes(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (probes[i].tracepoint)
			tracepoint_probe_unregister(probes[i].tracepoint, probes[i].function, NULL);
	tracepoint_synchronize_unregister();
}

static int register_probes(void)
{
	size_t i;
	int error = 0;

	for_each_kernel_tracepoint(find_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(probes) && !error; i++) {
		if (!probes[i].tracepoint) {
			pr_err("this kernel has no tracepoint %s, without it a grant cannot be safe\n",
			       probes[i].name);
			error = -EOPNOTSUPP;
		} else {
			error = tracepoint_probe_register(probes[i].tracepoint, probes[i].function, NULL);
		}
	}
	if (error)
		unregister_probes();
	return error;
}

/*
 * The watching CPU and the granted ones stay while a grant stands. A granted task may have been moved away already when
 * this is asked; then on_migrate() has taken its privilege, and it finds that out by its own flags.
 */
static int cpu_goes_offline(unsigned int cpu)
{
	return cpumask_empty(&granted_cpus) ? 0 : -EBUSY;
}

int irqoff_grants_init(void)
{
	unsigned int cpu;
	int error;

	for_each_possible_cpu(cpu) {
		struct irqoff_grant *grant = per_cpu_ptr(&grants, cpu);

		grant->cpu = cpu;
		grant->question.func = answer;
		grant->question.info = grant;
		init_irq_work(&grant->kill, kill_holder);
	}
	hrtimer_setup(&watch_timer, on_watch, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	error = register_probes();
	if (error)
		return error;
	error = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "maxlat_irqoff");
	if (error)
		goto probes;
	error = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "maxlat/irqoff:online", NULL, cpu_goes_offline);
	if (error < 0)
		goto nmi;
	hotplug_state = error;
	return 0;
nmi:
	unregister_nmi_handler(NMI_LOCAL, "maxlat_irqoff");
probes:
	unregister_probes();
	return error;
}

void irqoff_grants_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
	unregister_nmi_handler(NMI_LOCAL, "maxlat_irqoff");
	unregister_probes();
}
