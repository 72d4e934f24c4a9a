// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Which functions and tracepoints tell of an interprocessor interrupt that is sent: ftrace's hook is set on each
 * function by its name, a probe on each tracepoint, then interrupts of each kind are provoked, from CPU 0 to CPU 1,
 * and the log has what was seen:
 *
 *   function NAME hook ERROR calls N target CPU caller SYMBOL     ERROR 0: it can be hooked
 *   tracepoint NAME found 0|1 calls N target CPU caller SYMBOL
 *
 * At load; NEEDS two CPUs, and three for the sender to many.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include <maxlat/kernel/kernel_versions.h>

#define NO_TARGET (-1l) /* the function has a mask, or tells nothing */
#define ROUNDS 20

/* What was seen of one sender. The last call stands. */
struct seen {
	atomic_t calls;
	long target;
	unsigned long caller;
};

static struct hook {
	const char *name;
	bool tells_cpu; /* its first argument is the target */
	struct ftrace_ops ops;
	int error;
	struct seen seen;
} hooks[] = {
	{ .name = "native_smp_send_reschedule", .tells_cpu = true },
	{ .name = "native_send_call_func_single_ipi", .tells_cpu = true },
	{ .name = "native_send_call_func_ipi" },
	{ .name = "send_call_function_single_ipi", .tells_cpu = true },
	{ .name = "__smp_call_single_queue", .tells_cpu = true },
	{ .name = "arch_irq_work_raise" },
	{ .name = "kvm_smp_send_call_func_ipi" },
	{ .name = "kvm_send_ipi_mask" },
	{ .name = "kvm_send_ipi_mask_allbutself" },
};

struct point {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
	struct seen seen;
};

static void note(struct seen *seen, long target, unsigned long caller)
{
	seen->target = target;
	seen->caller = caller;
	atomic_inc(&seen->calls);
}

static void notrace on_call(unsigned long address, unsigned long parent, struct ftrace_ops *ops,
			    struct ftrace_regs *regs)
{
	struct hook *hook = container_of(ops, struct hook, ops);

	note(&hook->seen, hook->tells_cpu ? (long)ftrace_regs_get_argument(regs, 0) : NO_TARGET, parent);
}

static void on_send_cpu(void *seen, unsigned int cpu, unsigned long callsite, void *callback)
{
	note(seen, cpu, callsite);
}

static void on_send_mask(void *seen, const struct cpumask *mask, unsigned long callsite, void *callback)
{
	note(seen, cpumask_first(mask), callsite);
}

static struct point points[] = {
	{ .name = "ipi_send_cpu", .probe = on_send_cpu },
	{ .name = "ipi_send_cpumask", .probe = on_send_mask },
};

static void match_point(struct tracepoint *tracepoint, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(points); i++) {
		if (strcmp(tracepoint->name, points[i].name) == 0)
			points[i].tracepoint = tracepoint;
	}
}

static void set_hooks(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		struct hook *hook = &hooks[i];

		hook->ops.func = on_call;
		hook->error = ftrace_set_filter(&hook->ops, (unsigned char *)hook->name, strlen(hook->name), 0);
		if (!hook->error)
			hook->error = register_ftrace_function(&hook->ops);
	}
	for_each_kernel_tracepoint(match_point, NULL);
	for (i = 0; i < ARRAY_SIZE(points); i++) {
		struct point *point = &points[i];

		if (point->tracepoint && tracepoint_probe_register(point->tracepoint, point->probe, &point->seen))
			point->tracepoint = NULL;
	}
}

static void remove_hooks(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (!hooks[i].error)
			unregister_ftrace_function(&hooks[i].ops);
		ftrace_free_filter(&hooks[i].ops);
	}
	for (i = 0; i < ARRAY_SIZE(points); i++) {
		if (points[i].tracepoint)
			tracepoint_probe_unregister(points[i].tracepoint, points[i].probe, &points[i].seen);
	}
	tracepoint_synchronize_unregister();
}

static void do_nothing(void *unused)
{
}

static void work_nothing(struct irq_work *work)
{
}

static int come_and_go(void *completion)
{
	complete(completion);
	return 0;
}

/* A task that begins to run on CPU 1, calls of functions there and on all CPUs, work for an interrupt of this one. */
static int provoke(void)
{
	DECLARE_COMPLETION_ONSTACK(came);
	struct irq_work work = IRQ_WORK_INIT_HARD(work_nothing);
	struct task_struct *task = kthread_create_on_cpu(come_and_go, &came, 1, "ipi_hooks/%u");

	if (IS_ERR(task))
		return PTR_ERR(task);
	wake_up_process(task);
	wait_for_completion(&came);
	smp_call_function_single(1, do_nothing, NULL, 1);
	smp_call_function(do_nothing, NULL, 1);
	irq_work_queue(&work);
	irq_work_sync(&work);
	return 0;
}

static void tell(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		pr_info("function %s hook %d calls %d target %ld caller %ps\n", hooks[i].name, hooks[i].error,
			atomic_read(&hooks[i].seen.calls), hooks[i].seen.target, (void *)hooks[i].seen.caller);
	for (i = 0; i < ARRAY_SIZE(points); i++)
		pr_info("tracepoint %s found %d calls %d target %ld caller %ps\n", points[i].name, !!points[i].tracepoint,
			atomic_read(&points[i].seen.calls), points[i].seen.target, (void *)points[i].seen.caller);
}

static int __init ipi_hooks_init(void)
{
	unsigned int round;
	int status = set_cpus_allowed_ptr(current, cpumask_of(0));

	if (num_online_cpus() < 2)
		return -ENODEV;
	set_hooks();
	for (round = 0; status == 0 && round < ROUNDS; round++)
		status = provoke();
	remove_hooks();
	tell();
	return status;
}

static void __exit ipi_hooks_exit(void)
{
}

module_init(ipi_hooks_init);
module_exit(ipi_hooks_exit);
MODULE_DESCRIPTION("maxlat: which senders of interprocessor interrupts can be hooked");
MODULE_LICENSE("Dual MIT/GPL");
