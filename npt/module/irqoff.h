/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* maxlat_irqoff: what its files know of each other. The interface to user space is irqoff_abi.h. */
#ifndef MAXLAT_IRQOFF_H
#define MAXLAT_IRQOFF_H

#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include <maxlat/base/histogram.h>
#include <maxlat/npt/irqoff_abi.h>

/* What one descriptor holds. */
struct irqoff_file {
	struct mutex lock;
	struct maxlat_histogram *histogram; /* of LOOP, made by the first call */
	struct irqoff_grant *grant;         /* null without */
};

/* irqoff_loop.c: runs the loop on this CPU, fills the answers, adds to the histogram. */
void irqoff_run_loop(struct maxlat_irqoff_loop *loop, struct maxlat_histogram *histogram);

#ifdef CONFIG_X86_64
int irqoff_grants_init(void);
void irqoff_grants_exit(void);
/* To the calling task. Errors: irqoff_abi.h. */
int irqoff_grant_give(u64 limit_ns, struct irqoff_grant **grant);
/* By the task that holds it: 0; by another one: -EPERM, and nothing happens. */
int irqoff_grant_revoke(struct irqoff_grant *grant);
/* The descriptor is gone: ends a holder that still lives, and frees the place. May wait for one limit. */
void irqoff_grant_free(struct irqoff_grant *grant);
#else
static inline int irqoff_grants_init(void)
{
	return 0;
}
static inline void irqoff_grants_exit(void)
{
}
static inline int irqoff_grant_give(u64 limit_ns, struct irqoff_grant **grant)
{
	return -EOPNOTSUPP;
}
static inline int irqoff_grant_revoke(struct irqoff_grant *grant)
{
	return -EPERM;
}
static inline void irqoff_grant_free(struct irqoff_grant *grant)
{
}
#endif
#endif
