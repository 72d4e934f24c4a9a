/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The rings of a session: one for each CPU that is traced. */
#ifndef TRACE_RINGS_H
#define TRACE_RINGS_H

#include <linux/cpumask.h>
#include <linux/types.h>

#include <maxlat/trace/kernel/kernel_abi.h>

struct trace_ring;

/**
 * trace_rings_make() - makes them
 * @request: sizes and mode
 * @cpus: which CPUs
 * @ring_bytes: receives the size of each, whole pages
 *
 * Return: by CPU, null where none was asked for; or an ERR_PTR: -EINVAL, no such ring is possible; -ENOMEM, also when
 * they would take more than half of the memory that is free.
 */
struct trace_ring **trace_rings_make(const struct maxlat_trace_start *request, const struct cpumask *cpus,
				     u64 *ring_bytes);

/**
 * trace_rings_free() - frees them
 * @rings: as made, or NULL
 */
void trace_rings_free(struct trace_ring **rings);

#endif
