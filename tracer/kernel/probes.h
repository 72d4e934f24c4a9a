/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The probes: one for each event of kernel_abi.h, attached to the tracepoint of the same name, which is looked for
 * among the kernel's, because most are not exported.
 */
#ifndef TRACE_PROBES_H
#define TRACE_PROBES_H

#include <linux/types.h>

struct trace_session;

/**
 * trace_probes_find() - looks for the tracepoints, once, when the module is loaded
 */
void trace_probes_find(void);

/**
 * trace_probes_known() - which events this kernel has
 *
 * Return: a bit for each, bit id - 1.
 */
u64 trace_probes_known(void);

/**
 * trace_probes_attach() - attaches the probes of a session
 * @session: where they write; its rings are made
 * @events: which
 *
 * Return: 0 or a negative error; then none is attached.
 */
int trace_probes_attach(struct trace_session *session, u64 events);

/**
 * trace_probes_detach() - detaches them, and returns when none is inside any more
 * @session: as attached
 * @events: as attached
 */
void trace_probes_detach(struct trace_session *session, u64 events);

#endif
