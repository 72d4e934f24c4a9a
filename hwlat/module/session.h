/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The one measurement that may run on a machine: who owns it, how it is configured, and which threads are at work.
 *
 * LOCKS, outermost first
 *   control   (mutex)  serialises every operation of the owner; never taken in a hotplug callback
 *   cpus_read_lock     guards the per-CPU threads: START and STOP hold it for reading, the hotplug callbacks run under it
 *                      for writing, so a thread is started or stopped by one of them at a time
 *
 *   The stop_machine thread takes cpus_read_lock itself, in stop_machine(). So whoever waits for that thread must not
 *   hold the lock: a waiting writer would close the circle. The per-CPU threads take no lock at all.
 */
#ifndef MAXLAT_HWLAT_SESSION_H
#define MAXLAT_HWLAT_SESSION_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include "sampler.h"

struct hwlat_cpu {
	struct hwlat_sampler sampler;
	struct task_struct *thread; /* cpus_read_lock; null while the CPU is offline or nothing runs */
	unsigned int turn;          /* place among the configured CPUs: round robin */
};

struct hwlat_session {
	struct mutex control;
	atomic_t owned;

	u32 mode;
	u64 width_ns;
	u64 window_ns;
	u64 threshold_ns;
	u64 duration_ns;
	struct cpumask mask;
	unsigned int cpu_count;
	struct hwlat_cpu **cpus; /* nr_cpu_ids pointers, null where not configured */

	bool configured;
	bool running;      /* control and cpus_read_lock to write; either to read */
	bool paused;       /* the machine is going to sleep */
	ktime_t starts;
	ktime_t ends;
	atomic_t sampling; /* threads at work */
	atomic_t baton;    /* round robin: 1 while a CPU samples */
	struct task_struct *stop_machine_thread; /* control */
};

extern struct hwlat_session hwlat_session;

int hwlat_session_init(void);
void hwlat_session_exit(void);

/* One owner at a time: 0 or -EBUSY. Releasing stops what runs and frees the memory. */
int hwlat_session_claim(void);
void hwlat_session_release(void);

/* REQUIRES: owned by the caller, for all of these. They take `control` themselves. */
int hwlat_session_configure(u32 mode, u64 width_ns, u64 window_ns, u64 threshold_ns, u64 duration_ns,
			    const struct cpumask *mask);
int hwlat_session_start(void);
void hwlat_session_stop(void);
void hwlat_session_status(struct maxlat_hwlat_status *status);

/* threads.c: what runs on the CPUs. REQUIRES: cpus_read_lock held for the per-CPU pair. */
int hwlat_start_cpu_thread(struct hwlat_cpu *cpu);
void hwlat_stop_cpu_thread(struct hwlat_cpu *cpu);
int hwlat_start_stop_machine_thread(void);
void hwlat_stop_stop_machine_thread(void);

/* device.c and debugfs.c: the two faces */
int hwlat_device_init(void);
void hwlat_device_exit(void);
void hwlat_debugfs_init(void);
void hwlat_debugfs_exit(void);

#endif
