/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The probes of raw events: what is recorded are the arguments as the kernel hands them over, whatever they mean.
 *
 * A probe of a tracepoint takes as many arguments of 8 bytes as there are. That is another type than the tracepoint's.
 * On x86-64 it is the same call nevertheless: each integer or pointer has a register or 8 bytes on the stack, whatever
 * its size. Not so a structure of more than 8 bytes, of which user space asks for none. Where the kernel checks the
 * types of what it calls (CONFIG_CFI_CLANG), there are no such probes.
 */
#ifndef TRACE_RAW_PROBES_H
#define TRACE_RAW_PROBES_H

#include <linux/kprobes.h>
#include <linux/types.h>

/* A function's probe. */
struct trace_function {
	struct kprobe kprobe;
	u32 id;
	u32 arguments;
};

/**
 * trace_raw_probe() - the probe for tracepoints
 * @arguments: how many it records, MAXLAT_TRACE_RAW_ARGUMENTS at most
 *
 * Return: a probe that takes the event's id, then so many u64; NULL: this kernel allows none.
 */
void *trace_raw_probe(u32 arguments);

/**
 * trace_function_called() - the pre_handler of a trace_function's kprobe
 * @kprobe: in a struct trace_function
 * @registers: as the function begins with them
 *
 * Context: any, preemption off.
 * Return: 0.
 */
int trace_function_called(struct kprobe *kprobe, struct pt_regs *registers);

#endif
