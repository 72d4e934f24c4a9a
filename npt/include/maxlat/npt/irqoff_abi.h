/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The interface between maxlat_irqoff.ko and user space: the two ways to measure with interrupts really off. User
 * space alone cannot do it since Linux 5.5: cli faults, and after iopl(3) (since 5.15) it is silently ignored.
 *
 *   GRANT   cli and sti really work in the calling task, from the return of this ioctl on. What ends it: REVOKE,
 *           closing the descriptor, exit, exec, moving to another CPU, and the watchdog. A child never has it. The task
 *           must be bound to one CPU, and another CPU must be online to watch it.
 *   LOOP    npt's loop inside the kernel, interrupts off, for at most a second; adds to this descriptor's histogram.
 *
 * Both need CAP_SYS_RAWIO. Any number of tasks may have the device open; what a descriptor holds is its own.
 *
 * THE WATCHDOG  While there are grants, one CPU without a grant sends an interrupt to every granted CPU from time to
 *   time. If a CPU has not answered within the grant's limit, it gets an NMI; if the NMI finds the
 *   granted task in user space with interrupts off, it turns them on, takes the privilege away and kills the task with
 *   SIGKILL. So a crash of the task costs one limit, not the box. A program that measures for longer than the limit
 *   executes sti; nop; cli now and then.
 *
 * PAGE FAULTS  A task with a grant locks its memory before it executes cli: from Linux 6.9 on, the kernel ends a task
 *   that faults with interrupts off by SIGSEGV, and warns in its log; before, the fault was served with interrupts on.
 *   The first clock_gettime() of a process is such a fault, locked or not.
 *
 * WHAT IS NOT PROTECTED  A task with IOPL 3 may also access any I/O port. Whoever may do this has CAP_SYS_RAWIO anyway.
 */
#ifndef MAXLAT_NPT_IRQOFF_ABI_H
#define MAXLAT_NPT_IRQOFF_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define MAXLAT_IRQOFF_DEVICE "/dev/maxlat_irqoff"
#define MAXLAT_IRQOFF_ABI_VERSION 1u

#define MAXLAT_IRQOFF_MIN_LIMIT_NS 1000000ull     /* 1 ms */
#define MAXLAT_IRQOFF_MAX_LIMIT_NS 5000000000ull  /* half of the kernel's own hard-lockup limit */
#define MAXLAT_IRQOFF_MIN_LOOP_NS 1000ull
#define MAXLAT_IRQOFF_MAX_LOOP_NS 1000000000ull

/*
 * EPERM  no CAP_SYS_RAWIO, or the kernel is locked down    EINVAL  limit out of range, or the task may run on many CPUs
 * EBUSY  no other CPU is left to watch this one            EALREADY  this descriptor already holds a grant
 * EOPNOTSUPP  not on this processor
 */
struct maxlat_irqoff_grant {
  __u32 size;
  __u32 reserved; /* 0 */
  __u64 limit_ns; /* longest time that interrupts may stay off at a stretch */
};

#define MAXLAT_IRQOFF_LOOP_RESET 1u     /* empty the descriptor's histogram first */
#define MAXLAT_IRQOFF_LOOP_ONLY_COPY 2u /* no loop: only hand the histogram over; duration_ns is not looked at */

struct maxlat_irqoff_loop {
  __u32 size;
  __u32 flags;
  __u64 duration_ns;
  __u64 max_samples; /* ends the loop earlier; 0: no limit */
  __u64 histogram; /* user address of a struct maxlat_histogram that receives a copy, or 0 */
  /* answers, about this call alone */
  __u64 samples;
  __u64 watched_ticks; /* first read to last read: the sum of all gaps */
  __u64 max_ticks;
  __u64 max_at;      /* counter at the end of the largest gap */
  __u64 counter_khz;
  __u64 smi_count;   /* risen by; 0 where the processor does not count */
  __u32 nmi_count;
  __u32 cpu;
};

#define MAXLAT_IRQOFF_IOC_GRANT _IOW('M', 0x50, struct maxlat_irqoff_grant)
#define MAXLAT_IRQOFF_IOC_REVOKE _IO('M', 0x51)
#define MAXLAT_IRQOFF_IOC_LOOP _IOWR('M', 0x52, struct maxlat_irqoff_loop)
#define MAXLAT_IRQOFF_IOC_VERSION _IOR('M', 0x53, __u32)

#endif
