/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* hrtimer_setup() on kernels before 6.13, which have hrtimer_init() alone; from 6.15 on that one is gone. */
#ifndef MAXLAT_KERNEL_KERNEL_VERSIONS_H
#define MAXLAT_KERNEL_KERNEL_VERSIONS_H

#include <linux/hrtimer.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif
