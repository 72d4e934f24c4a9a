// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * A module with a tracepoint and a function that nobody but a test knows (kernel_trace_sessions.cpp, raw). Whoever
 * writes to its parameter `fire` passes both.
 */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "raw_event.h"

/* Kept from being inlined, and from losing its arguments. */
noinline __noclone int maxlat_raw_function(long a0, u8 a1, const char *a2, u64 a3, u64 a4, u64 a5);
noinline __noclone int maxlat_raw_function(long a0, u8 a1, const char *a2, u64 a3, u64 a4, u64 a5)
{
	barrier();
	return a0 + a1 + a3 + a4 + a5 + (a2 != NULL);
}

static int fire_set(const char *text, const struct kernel_param *parameter)
{
	const struct raw_event_pair pair = { 0x12345678, 0x9abcdef0 };

	trace_maxlat_twelve(true, -1, 0xfe, -2, 0xfffd, -3, 0xfffffffc, -4l, 0xfedcba9876543210ull, THIS_MODULE->name,
			    pair, 0xab);
	return maxlat_raw_function(-5, 0xcd, THIS_MODULE->name, 3, 4, 5) > 0 ? 0 : -EINVAL;
}

static const struct kernel_param_ops fire_ops = { .set = fire_set };
module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "passes the tracepoint and the function");
MODULE_DESCRIPTION("A tracepoint that maxlat's kernel tracer does not know");
MODULE_LICENSE("Dual MIT/GPL");
