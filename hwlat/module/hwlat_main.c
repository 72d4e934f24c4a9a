// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * maxlat_hwlat: hardware latency, seen from a loop with interrupts off on every CPU. Start with module_abi.h, then
 * session.h (locks), sampler.c (the loop), threads.c (who runs it when).
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/init.h>
#include <linux/module.h>

#include <maxlat/kernel/counts.h>
#include <maxlat/kernel/module_version.h>

#include "session.h"

static int __init hwlat_init(void)
{
	int error;

	if (maxlat_counter_khz() == 0) {
		pr_err("the kernel does not know the rate of the time-stamp counter\n");
		return -ENODEV;
	}
	error = hwlat_session_init();
	if (error)
		return error;
	error = hwlat_device_init();
	if (error) {
		hwlat_session_exit();
		return error;
	}
	hwlat_debugfs_init();
	return 0;
}

static void __exit hwlat_exit(void)
{
	hwlat_debugfs_exit();
	hwlat_device_exit();
	hwlat_session_exit();
}

module_init(hwlat_init);
module_exit(hwlat_exit);
MODULE_DESCRIPTION("maxlat: hardware latency detector");
MODULE_AUTHOR("The maxlat authors");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_VERSION(MAXLAT_MODULE_VERSION);
