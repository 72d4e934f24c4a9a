/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What differs between the kernels that the modules are built for, and the only file that asks for the version: an
 * older kernel gets the newer one's function, under the newer name. When the oldest kernel has it, its piece here goes.
 */
#ifndef MAXLAT_KERNEL_KERNEL_VERSIONS_H
#define MAXLAT_KERNEL_KERNEL_VERSIONS_H

#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/version.h>

#ifdef CONFIG_X86_64
#include <asm/hardirq.h>
#include <asm/msr.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
static inline int rdmsrq_safe(u32 msr, u64 *value)
{
	return rdmsrl_safe(msr, value);
}
#endif

/**
 * maxlat_kernel_nmi_count() - NMIs that this CPU has had
 *
 * Since some version between 6.12 and 7.3 the kernel's counters of interrupts are an array. Its header has no macro
 * that tells, and distributions may take it over: kernel/shared.kbuild looks into the header.
 *
 * Return: the count; it wraps.
 */
static inline u32 maxlat_kernel_nmi_count(void)
{
#ifdef MAXLAT_IRQ_STAT_IS_AN_ARRAY
	return this_cpu_read(irq_stat.counts[IRQ_COUNT_NMI]);
#else
	return this_cpu_read(irq_stat.__nmi_count);
#endif
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0) /* and from 6.15 on there is no hrtimer_init() */
static inline void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* The unbound workqueue's name since 6.17: later kernels warn of the old one. Needs linux/workqueue.h. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define system_dfl_wq system_unbound_wq
#endif

/* Since 6.2; before, the registers of arguments were in there, too. Needs linux/ftrace.h. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define ftrace_regs_get_argument(fregs, n) regs_get_kernel_argument(&(fregs)->regs, n)
#endif

/* Since 6.4 the kernel tells of interprocessor interrupts that are sent. Needs trace/events/ipi.h. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define MAXLAT_HAS_IPI_TRACEPOINTS
#endif

/* What sched_process_exit has behind the task, since 6.16. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define MAXLAT_ALSO_OF_PROCESS_EXIT , bool group_dead
#define MAXLAT_ALSO_NAMED_OF_PROCESS_EXIT , group_dead
#else
#define MAXLAT_ALSO_OF_PROCESS_EXIT
#define MAXLAT_ALSO_NAMED_OF_PROCESS_EXIT
#endif

/* The time that hrtimer_expire_entry has; since some version between 6.12 and 7.3 it is no address:
 * kernel/shared.kbuild looks into the header. */
#ifdef MAXLAT_HRTIMER_NOW_IS_A_VALUE
#define MAXLAT_HRTIMER_NOW ktime_t
#define MAXLAT_HRTIMER_NOW_OF(time) (time)
#define MAXLAT_HRTIMER_NOW_NS(now) (now)
#else
#define MAXLAT_HRTIMER_NOW ktime_t *
#define MAXLAT_HRTIMER_NOW_OF(time) (&(time))
#define MAXLAT_HRTIMER_NOW_NS(now) (*(now))
#endif

/**
 * maxlat_probe_begin() - a probe of a tracepoint begins
 *
 * It runs with preemption off until maxlat_probe_end(). Up to 6.12 the tracepoint turns it off; from then on it does
 * not do so for all (of system calls first).
 */
static __always_inline void maxlat_probe_begin(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	preempt_disable_notrace();
#endif
}

/**
 * maxlat_probe_end() - it ends
 */
static __always_inline void maxlat_probe_end(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	preempt_enable_notrace();
#endif
}

/* The kernel's ring_buffer_unlock_commit() lost its second argument in 6.2. Needs linux/ring_buffer.h. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define maxlat_kernel_ring_commit(buffer, event) ring_buffer_unlock_commit(buffer, event)
#else
#define maxlat_kernel_ring_commit(buffer, event) ring_buffer_unlock_commit(buffer)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set, unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

#endif
