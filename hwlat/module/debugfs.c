// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The files of the original hwlat_detector in debugfs, for old scripts and for a shell: maxlat_hwlat/
 *
 *   enable     1 starts on all online CPUs at once, 0 stops; EBUSY while somebody owns the device
 *   width, window, threshold   microseconds, taken at the next enable
 *   max        largest gap recorded, microseconds          (writing 0 is accepted and does nothing: enable resets)
 *   count      gaps above the threshold
 *   sample     all records that are still held: "seconds.nanoseconds<tab>inner us<tab>outer us<tab>cpu" a line
 *
 * Thin on purpose: no duration (the longest allowed), no mode, whole microseconds. The device is the real interface.
 */
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/math64.h>
#include <linux/seq_file.h>

#include "session.h"

static struct dentry *directory;
static u64 width_us = 500000;
static u64 window_us = 1000000;
static u64 threshold_us = 10;
static DEFINE_MUTEX(enable_lock);
static bool enabled; /* this face owns the session; enable_lock */

static int enable(void)
{
	cpumask_var_t online;
	int error = hwlat_session_claim();

	if (error)
		return error;
	if (!alloc_cpumask_var(&online, GFP_KERNEL)) {
		error = -ENOMEM;
		goto release;
	}
	cpus_read_lock();
	cpumask_copy(online, cpu_online_mask);
	cpus_read_unlock();
	error = -EINVAL;
	if (max3(width_us, window_us, threshold_us) <= MAXLAT_HWLAT_MAX_WINDOW_NS / NSEC_PER_USEC)
		error = hwlat_session_configure(MAXLAT_HWLAT_MODE_PER_CPU, width_us * NSEC_PER_USEC,
						window_us * NSEC_PER_USEC, threshold_us * NSEC_PER_USEC,
						MAXLAT_HWLAT_MAX_DURATION_NS, online);
	free_cpumask_var(online);
	if (!error)
		error = hwlat_session_start();
	if (!error) {
		enabled = true;
		return 0;
	}
release:
	hwlat_session_release();
	return error;
}

static int enable_set(void *unused, u64 value)
{
	int error = 0;

	mutex_lock(&enable_lock);
	if (value && !enabled) {
		error = enable();
	} else if (!value && enabled) {
		hwlat_session_release();
		enabled = false;
	}
	mutex_unlock(&enable_lock);
	return error;
}

static int enable_get(void *unused, u64 *value)
{
	*value = enabled;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(enable_operations, enable_get, enable_set, "%llu\n");

static int count_get(void *unused, u64 *value)
{
	unsigned int cpu;

	*value = 0;
	mutex_lock(&hwlat_session.control);
	for_each_possible_cpu(cpu)
		if (hwlat_session.cpus[cpu])
			*value += READ_ONCE(hwlat_header(&hwlat_session.cpus[cpu]->sampler)->gaps);
	mutex_unlock(&hwlat_session.control);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(count_operations, count_get, NULL, "%llu\n");

static int max_get(void *unused, u64 *value)
{
	unsigned int cpu;

	*value = 0;
	mutex_lock(&hwlat_session.control);
	for_each_possible_cpu(cpu) {
		const struct hwlat_cpu *c = hwlat_session.cpus[cpu];
		u64 ticks;

		if (!c)
			continue;
		ticks = max(READ_ONCE(hwlat_header(&c->sampler)->max_inner_ticks),
			    READ_ONCE(hwlat_header(&c->sampler)->max_outer_ticks));
		*value = max(*value, div_u64(maxlat_ticks_to_ns(c->sampler.ratio, ticks), NSEC_PER_USEC));
	}
	mutex_unlock(&hwlat_session.control);
	return 0;
}

static int max_set(void *unused, u64 value)
{
	return value ? -EINVAL : 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(max_operations, max_get, max_set, "%llu\n");

/* module_abi.h, "Reading the ring": a record is shown only if its number was the same before and after the copy. */
static void show_record(struct seq_file *file, const struct maxlat_hwlat_record *slot, u64 sequence)
{
	struct maxlat_hwlat_record record;
	u32 remainder_ns;
	u64 seconds;

	if (smp_load_acquire(&slot->sequence) != sequence) /* pairs with (b) in sampler.c */
		return;
	record = *slot;
	smp_rmb(); /* the copy before the second look: pairs with the barrier after (a) in sampler.c */
	if (READ_ONCE(slot->sequence) != sequence)
		return;
	seconds = div_u64_rem(record.time_ns, NSEC_PER_SEC, &remainder_ns);
	seq_printf(file, "%llu.%09u\t%llu\t%llu\t%u\n", seconds, remainder_ns, div_u64(record.inner_ns, NSEC_PER_USEC),
		   div_u64(record.outer_ns, NSEC_PER_USEC), record.cpu);
}

static int sample_show(struct seq_file *file, void *unused)
{
	unsigned int cpu;

	mutex_lock(&hwlat_session.control);
	for_each_possible_cpu(cpu) {
		const struct hwlat_cpu *c = hwlat_session.cpus[cpu];
		u64 newest, sequence;

		if (!c)
			continue;
		newest = smp_load_acquire(&hwlat_header(&c->sampler)->records); /* pairs with (c) in sampler.c */
		sequence = newest > MAXLAT_HWLAT_RECORDS ? newest - MAXLAT_HWLAT_RECORDS + 1 : 1;
		for (; sequence <= newest; sequence++)
			show_record(file, &hwlat_records(&c->sampler)[(sequence - 1) % MAXLAT_HWLAT_RECORDS], sequence);
	}
	mutex_unlock(&hwlat_session.control);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sample);

void hwlat_debugfs_init(void)
{
	directory = debugfs_create_dir("maxlat_hwlat", NULL);
	debugfs_create_file_unsafe("enable", 0600, directory, NULL, &enable_operations);
	debugfs_create_file_unsafe("count", 0400, directory, NULL, &count_operations);
	debugfs_create_file_unsafe("max", 0600, directory, NULL, &max_operations);
	debugfs_create_file("sample", 0400, directory, NULL, &sample_fops);
	debugfs_create_u64("width", 0600, directory, &width_us);
	debugfs_create_u64("window", 0600, directory, &window_us);
	debugfs_create_u64("threshold", 0600, directory, &threshold_us);
}

void hwlat_debugfs_exit(void)
{
	debugfs_remove_recursive(directory);
	if (enabled)
		hwlat_session_release();
}
