/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Interprocessor interrupts that are sent, on kernels without a tracepoint for that (before Linux 6.4): ftrace hooks
 * the functions that send them. Which they are, and that they can be hooked: docs/kernel-ring.md.
 */
#ifndef TRACE_IPI_HOOKS_H
#define TRACE_IPI_HOOKS_H

#include <linux/types.h>

/**
 * trace_ipi_hooks_find() - looks for the functions of an event, once, when the module is loaded
 * @id: any event's
 */
void trace_ipi_hooks_find(u32 id);

/**
 * trace_ipi_hooks_forget() - when the module is unloaded; no hook is set
 */
void trace_ipi_hooks_forget(void);

/**
 * trace_ipi_hooks_known() - whether an event's functions were looked for and can be hooked
 * @id: any event's
 *
 * Return: true when trace_ipi_hooks_set() may succeed.
 */
bool trace_ipi_hooks_known(u32 id);

/**
 * trace_ipi_hooks_set() - hooks the functions of an event
 * @id: one that is known
 *
 * Context: process; the control lock is held.
 * Return: 0 or a negative error; then none is hooked.
 */
int trace_ipi_hooks_set(u32 id);

/**
 * trace_ipi_hooks_remove() - lets them go; no hook is inside when it returns
 * @id: one that was set
 *
 * Context: process; the control lock is held.
 */
void trace_ipi_hooks_remove(u32 id);

#endif
