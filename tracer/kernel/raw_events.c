// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Contract: raw_events.h. */
#include <linux/bitmap.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "raw_events.h"
#include "raw_probes.h"

struct raw_event {
	struct maxlat_trace_add what;
	unsigned int users; /* sessions; 0: its probe is detached, and may still be inside */
	struct tracepoint *tracepoint;
	struct module *owner; /* of the tracepoint; NULL: the kernel */
	struct trace_function function;
};

static struct raw_event *raw_events[MAXLAT_TRACE_RAW_EVENTS];

static bool checked_calls;
module_param(checked_calls, bool, 0444);
MODULE_PARM_DESC(checked_calls, "refuse tracepoints as where calls are checked (CONFIG_CFI_CLANG): for tests of who reads");

/* Which tracepoint has a name. One of a module is found with a reference to it. */
struct search {
	struct notifier_block notifier;
	const char *name;
	struct tracepoint *found;
	struct module *owner;
};

static void match(struct tracepoint *tracepoint, void *search)
{
	struct search *const wanted = search;

	if (strcmp(tracepoint->name, wanted->name) == 0)
		wanted->found = tracepoint;
}

static int match_of_module(struct notifier_block *notifier, unsigned long state, void *data)
{
	struct search *const wanted = container_of(notifier, struct search, notifier);
	struct module *const module = ((struct tp_module *)data)->mod;
	unsigned int i;

	for (i = 0; state == MODULE_STATE_COMING && !wanted->found && i < module->num_tracepoints; i++)
		match(tracepoint_ptr_deref(&module->tracepoints_ptrs[i]), wanted);
	if (!wanted->found || wanted->owner || state != MODULE_STATE_COMING)
		return NOTIFY_OK;
	if (try_module_get(module))
		wanted->owner = module;
	else
		wanted->found = NULL; /* it is going */
	return NOTIFY_OK;
}

static int find_tracepoint(struct raw_event *event)
{
	struct search search = { .notifier.notifier_call = match_of_module, .name = event->what.name };

	for_each_kernel_tracepoint(match, &search);
	/* It tells of all modules that there are; this is the only way to them. */
	if (!search.found && register_tracepoint_module_notifier(&search.notifier) == 0)
		unregister_tracepoint_module_notifier(&search.notifier);
	event->tracepoint = search.found;
	event->owner = search.owner;
	return search.found ? 0 : -ENOENT;
}

static void *id_of(const struct raw_event *event)
{
	return (void *)(uintptr_t)event->what.id;
}

static int attach_tracepoint(struct raw_event *event)
{
	void *const probe = checked_calls ? NULL : trace_raw_probe(event->what.arguments);
	int error = probe ? find_tracepoint(event) : -EOPNOTSUPP;

	if (error)
		return error;
	error = tracepoint_probe_register(event->tracepoint, probe, id_of(event));
	if (error)
		module_put(event->owner);
	return error;
}

static int attach_function(struct raw_event *event)
{
	event->function.id = event->what.id;
	event->function.arguments = event->what.arguments;
	event->function.kprobe.symbol_name = event->what.name;
	event->function.kprobe.pre_handler = trace_function_called;
	return register_kprobe(&event->function.kprobe);
}

static void detach(struct raw_event *event)
{
	if (event->what.kind == MAXLAT_TRACE_FUNCTION)
		unregister_kprobe(&event->function.kprobe);
	else
		tracepoint_probe_unregister(event->tracepoint, trace_raw_probe(event->what.arguments), id_of(event));
}

static bool is_possible(const struct maxlat_trace_add *request)
{
	const u32 most = request->kind == MAXLAT_TRACE_FUNCTION ? MAXLAT_TRACE_FUNCTION_ARGUMENTS :
								  MAXLAT_TRACE_RAW_ARGUMENTS;

	return request->kind <= MAXLAT_TRACE_FUNCTION && request->arguments <= most && request->name[0] &&
	       strnlen(request->name, sizeof(request->name)) < sizeof(request->name);
}

/* Its number, or that of the first that is free, or -ENOSPC. */
static int find(const struct maxlat_trace_add *request)
{
	int raw, first_free = -ENOSPC;

	for (raw = 0; raw < MAXLAT_TRACE_RAW_EVENTS; raw++) {
		const struct raw_event *event = raw_events[raw];

		if (!event && first_free < 0)
			first_free = raw;
		if (event && event->users > 0 && !(event->function.kprobe.flags & KPROBE_FLAG_GONE) &&
		    event->what.kind == request->kind &&
		    event->what.arguments == request->arguments && strcmp(event->what.name, request->name) == 0)
			return raw;
	}
	return first_free;
}

static int make(int raw, const struct maxlat_trace_add *request)
{
	struct raw_event *event = kzalloc(sizeof(*event), GFP_KERNEL);
	int error;

	if (!event)
		return -ENOMEM;
	event->what = *request;
	event->what.id = MAXLAT_TRACE_FIRST_RAW + raw;
	error = request->kind == MAXLAT_TRACE_FUNCTION ? attach_function(event) : attach_tracepoint(event);
	if (error) {
		kfree(event);
		return error;
	}
	raw_events[raw] = event;
	return 0;
}

int trace_raw_use(const struct maxlat_trace_add *request, unsigned long *used)
{
	const int raw = is_possible(request) ? find(request) : -EINVAL;

	if (raw < 0 || test_bit(raw, used))
		return raw;
	if (!raw_events[raw]) {
		const int error = make(raw, request);

		if (error)
			return error;
	}
	raw_events[raw]->users++;
	__set_bit(raw, used);
	return raw;
}

void trace_raw_leave(unsigned long *used)
{
	unsigned int raw;

	for_each_set_bit(raw, used, MAXLAT_TRACE_RAW_EVENTS) {
		if (--raw_events[raw]->users == 0)
			detach(raw_events[raw]);
		else
			__clear_bit(raw, used);
	}
}

void trace_raw_forget(unsigned long *left)
{
	unsigned int raw;

	for_each_set_bit(raw, left, MAXLAT_TRACE_RAW_EVENTS) {
		module_put(raw_events[raw]->owner);
		kfree(raw_events[raw]);
		raw_events[raw] = NULL;
	}
	bitmap_zero(left, MAXLAT_TRACE_RAW_EVENTS);
}
