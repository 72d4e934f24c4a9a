// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Contract: ipi_hooks.h. Built without ftrace's own hooks, as probes are. */
#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <maxlat/kernel/kernel_versions.h>

#include "ipi_hooks.h"
#include "probes.h"

static void on_call(unsigned long address, unsigned long caller, struct ftrace_ops *ops, struct ftrace_regs *registers);

#define HOOK(name, event, is_call) { .function = (name), .id = (event), .call = (is_call), .ops.func = on_call }

static struct ipi_hook {
	const char *function;
	u32 id;
	bool call; /* of a function: the others make the target look at its tasks */
	struct ftrace_ops ops;
	bool found;
} hooks[] = {
	HOOK("native_smp_send_reschedule", MAXLAT_KERNEL_ipi_send_cpu, false),
	HOOK("native_send_call_func_single_ipi", MAXLAT_KERNEL_ipi_send_cpu, true),
	HOOK("native_send_call_func_ipi", MAXLAT_KERNEL_ipi_send_cpumask, true),
};

static void on_call(unsigned long address, unsigned long caller, struct ftrace_ops *ops, struct ftrace_regs *registers)
{
	const struct ipi_hook *hook = container_of(ops, struct ipi_hook, ops);
	const unsigned long target = ftrace_regs_get_argument(registers, 0);
	void *const event = (void *)(uintptr_t)hook->id;
	void *const callback = hook->call ? (void *)address : NULL;

	preempt_disable_notrace();
	/* As tracepoints do: for a CPU that is going, nobody who stops a session waits. */
	if (!cpu_online(raw_smp_processor_id()))
		goto out;
	if (hook->id == MAXLAT_KERNEL_ipi_send_cpu)
		trace_probe_ipi_send_cpu(event, target, caller, callback);
	else
		trace_probe_ipi_send_cpumask(event, (const struct cpumask *)target, caller, callback);
out:
	preempt_enable_notrace();
}

void trace_ipi_hooks_find(u32 id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		struct ipi_hook *hook = &hooks[i];

		if (hook->id == id)
			hook->found = !ftrace_set_filter(&hook->ops, (unsigned char *)hook->function,
							 strlen(hook->function), 0);
	}
}

void trace_ipi_hooks_forget(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		ftrace_free_filter(&hooks[i].ops);
}

bool trace_ipi_hooks_known(u32 id)
{
	bool known = false;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (hooks[i].id != id)
			continue;
		if (!hooks[i].found)
			return false;
		known = true;
	}
	return known;
}

/* Those before number `behind`. */
static void remove_before(u32 id, unsigned int behind)
{
	unsigned int i;

	for (i = 0; i < behind; i++) {
		if (hooks[i].id == id)
			unregister_ftrace_function(&hooks[i].ops);
	}
}

int trace_ipi_hooks_set(u32 id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		int error = hooks[i].id == id ? register_ftrace_function(&hooks[i].ops) : 0;

		if (error) {
			remove_before(id, i);
			return error;
		}
	}
	return 0;
}

void trace_ipi_hooks_remove(u32 id)
{
	remove_before(id, ARRAY_SIZE(hooks));
}
