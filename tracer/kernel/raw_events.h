/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Events that the table does not have (kernel_events.h): tracepoints by their name, also those of modules, and
 * functions by their symbol. One probe each, however many sessions use it. Numbers are from 0: the id without
 * MAXLAT_TRACE_FIRST_RAW. Context of all: process, and the control lock is held.
 */
#ifndef TRACE_RAW_EVENTS_H
#define TRACE_RAW_EVENTS_H

#include <maxlat/trace/kernel/kernel_abi.h>

/**
 * trace_raw_use() - attaches the probe of an event, if no other session did
 * @request: which, as it came from user space
 * @used: a bit each, those that the session has; gets one more
 *
 * Return: its number; or a negative error: -EINVAL, -ENOENT, -EOPNOTSUPP, -ENOSPC (kernel_abi.h); -ENOMEM.
 */
int trace_raw_use(const struct maxlat_trace_add *request, unsigned long *used);

/**
 * trace_raw_leave() - detaches the probes of events that nobody uses any more
 * @used: a bit each, as used; of them those are left whose probes were detached
 *
 * Probes may still be inside. Their numbers are not given to another event before trace_raw_forget().
 */
void trace_raw_leave(unsigned long *used);

/**
 * trace_raw_forget() - frees events
 * @left: what trace_raw_leave() left, and tracepoint_synchronize_unregister() was called since; empty afterwards
 */
void trace_raw_forget(unsigned long *left);

#endif
