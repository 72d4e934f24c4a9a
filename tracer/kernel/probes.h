/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The probes: one for each kind of record of kernel_events.h, for all events that have it. Which event it is, a probe
 * learns from what its tracepoint hands over first.
 */
#ifndef TRACE_PROBES_H
#define TRACE_PROBES_H

#include <linux/cpumask.h>
#include <linux/types.h>

#include <maxlat/trace/kernel/kernel_abi.h>

struct trace_probe {
	const char *name; /* of the event, and of its tracepoint */
	void *function;   /* takes the event's id, then what the tracepoint has */
};

/* By id - 1. */
extern const struct trace_probe trace_probes[MAXLAT_KERNEL_EVENT_COUNT];

/**
 * trace_probe_ipi_send_cpu() - records an interrupt that is sent to a CPU
 * @event: the event's id
 * @cpu: target
 * @callsite: who sends
 * @callback: what is to run there, or NULL
 *
 * Context: any, preemption off.
 */
void trace_probe_ipi_send_cpu(void *event, unsigned int cpu, unsigned long callsite, void *callback);

/**
 * trace_probe_ipi_send_cpumask() - the same, to several
 * @event: the event's id
 * @cpumask: targets
 * @callsite: who sends
 * @callback: what is to run there, or NULL
 *
 * Context: any, preemption off.
 */
void trace_probe_ipi_send_cpumask(void *event, const struct cpumask *cpumask, unsigned long callsite, void *callback);

#endif
