/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* A ring of ours for what is measured, for all who measure one. */
#ifndef RING_COSTS_H
#define RING_COSTS_H

#include <linux/percpu.h>
#include <linux/types.h>

struct maxlat_ring;

DECLARE_PER_CPU(struct maxlat_ring *, ring_measured); /* while ring_with_own() runs, on its CPU */

/* Calls `measure` with a ring for this CPU, empty, of these features. RETURNS: 0, or a negative error: no memory, or
 * an event is not in it. */
int ring_with_own(const char *name, u32 features, void (*measure)(const char *name));

#endif
