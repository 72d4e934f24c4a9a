// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Tests of the tracer's ring in the kernel: the proofs that a kernel tracer can be built of it. A test runs while its
 * name is written to the parameter `run`; that write fails if the test does:
 *
 *   echo trials > /sys/module/maxlat_ring_test/parameters/run
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/string.h>

#include "ring_test.h"

static const struct {
	const char *name;
	int (*run)(void);
} tests[] = {
	{ "trials", ring_test_trials },
	{ "nmi-walk", ring_test_nmi_walk },
	{ "costs", ring_test_costs },
	{ "primitives", ring_test_primitives },
	{ "tracepoint", ring_test_tracepoint },
	{ "own-probe", ring_test_own_probe },
	{ "trace-costs", ring_test_trace_costs },
	{ "wake-up", ring_test_wake_up },
};

static int run_set(const char *name, const struct kernel_param *parameter)
{
	unsigned int i;

	if (THIS_MODULE->state != MODULE_STATE_LIVE)
		return -EBUSY;
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		if (sysfs_streq(name, tests[i].name))
			return tests[i].run();
	}
	return -EINVAL;
}

static const struct kernel_param_ops run_ops = { .set = run_set };
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "name of the test to run now");

static int __init ring_test_init(void)
{
	return ring_device_start();
}

static void __exit ring_test_exit(void)
{
	ring_device_stop();
}

module_init(ring_test_init);
module_exit(ring_test_exit);
MODULE_DESCRIPTION("The ring of maxlat's tracer, tested in the kernel");
MODULE_LICENSE("Dual MIT/GPL");
