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

/**
 * irqoff_run_loop() - npt's loop on this CPU, interrupts off (irqoff_loop.c)
 * @loop: the request; receives the answers
 * @histogram: every gap is added to it
 *
 * Context: a task. Keeps interrupts off for loop->duration_ns.
 */
void irqoff_run_loop(struct maxlat_irqoff_loop *loop, struct maxlat_histogram *histogram);

#ifdef CONFIG_X86_64
/**
 * irqoff_grants_init() - makes what grants need: a place for each CPU, the watchdog, the tracepoints
 *
 * Return: 0, or why not as a negative errno; -EOPNOTSUPP where the kernel lacks a tracepoint.
 */
int irqoff_grants_init(void);

/**
 * irqoff_grants_exit() - undoes irqoff_grants_init()
 *
 * Context: a task; no grant stands.
 */
void irqoff_grants_exit(void);

/**
 * irqoff_grant_give() - gives the calling task IOPL 3, from its return to user space on
 * @limit_ns: longest time that interrupts may stay off at a stretch
 * @grant: receives the grant
 *
 * Context: a task that is bound to one CPU.
 * Return: 0; errors as irqoff_abi.h has them, -EBUSY also where this CPU's place is taken.
 */
int irqoff_grant_give(u64 limit_ns, struct irqoff_grant **grant);

/**
 * irqoff_grant_revoke() - takes the privilege from the calling task
 * @grant: the grant
 *
 * Return: 0; -EPERM, and nothing happens, where another task holds the grant.
 */
int irqoff_grant_revoke(struct irqoff_grant *grant);

/**
 * irqoff_grant_free() - frees the place of a grant whose descriptor is gone
 * @grant: the grant
 *
 * Ends a holder that still lives: another thread closed the descriptor.
 *
 * Context: a task; may wait for one limit.
 */
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
