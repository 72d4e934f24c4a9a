/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The one measurement that may run on a machine: who owns it, how it is configured, and which threads are at work.
 *
 * LOCKS, outermost first
 *   control   (mutex)  serialises every operation of the owner; never taken in a hotplug callback
 *   cpus_read_lock     guards the per-CPU threads: START and STOP hold it for reading, the hotplug callbacks run under
 *                      it for writing, so a thread is started or stopped by one of them at a time
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

/**
 * hwlat_session_init() - makes the session, nobody's yet
 *
 * Return: 0, or why not as a negative errno; then nothing is left behind.
 */
int hwlat_session_init(void);

/**
 * hwlat_session_exit() - undoes hwlat_session_init()
 *
 * Context: nobody owns the session any more: the device and the files of debugfs are gone.
 */
void hwlat_session_exit(void);

/**
 * hwlat_session_claim() - makes the caller the owner
 *
 * Return: 0; -EBUSY where it has an owner.
 */
int hwlat_session_claim(void);

/**
 * hwlat_session_release() - stops what runs, frees the memory, gives the session back
 *
 * Context: a task of the owner; takes `control`.
 */
void hwlat_session_release(void);

/**
 * hwlat_session_configure() - settings of the next start, and memory for it
 * @mode: MAXLAT_HWLAT_MODE_...
 * @width_ns: how long interrupts are off at a stretch
 * @window_ns: from the beginning of one width to that of the next
 * @threshold_ns: a longer gap becomes a record
 * @duration_ns: sampling ends by itself after it
 * @mask: the CPUs
 *
 * The limits are those of module_abi.h.
 *
 * Context: a task of the owner; takes `control`.
 * Return: 0; -EINVAL out of the limits, -EBUSY while it runs, -ENOMEM.
 */
int hwlat_session_configure(u32 mode, u64 width_ns, u64 window_ns, u64 threshold_ns, u64 duration_ns,
			    const struct cpumask *mask);

/**
 * hwlat_session_start() - empties the regions and starts the threads
 *
 * Context: a task of the owner; takes `control`, then cpus_read_lock.
 * Return: 0; -ENODATA before it was configured, -EBUSY while it runs, or why a thread could not be made.
 */
int hwlat_session_start(void);

/**
 * hwlat_session_stop() - waits until no CPU samples any more
 *
 * Context: a task of the owner; takes `control`, then cpus_read_lock. Takes one width at most.
 */
void hwlat_session_stop(void);

/**
 * hwlat_session_status() - what the session does now
 * @status: receives it
 *
 * Context: a task of the owner; takes `control`.
 */
void hwlat_session_status(struct maxlat_hwlat_status *status);

/* threads.c: what runs on the CPUs. */

/**
 * hwlat_start_cpu_thread() - starts the sampling thread of a CPU
 * @cpu: the CPU; online
 *
 * Context: a task, with cpus_read_lock or in a hotplug callback.
 * Return: 0, or why the thread could not be made.
 */
int hwlat_start_cpu_thread(struct hwlat_cpu *cpu);

/**
 * hwlat_stop_cpu_thread() - ends it and waits for its end; nothing where there is none
 * @cpu: the CPU
 *
 * Context: as hwlat_start_cpu_thread().
 */
void hwlat_stop_cpu_thread(struct hwlat_cpu *cpu);

/**
 * hwlat_start_stop_machine_thread() - starts the one thread that stops the machine for each width
 *
 * Context: a task that holds `control`.
 * Return: 0, or why the thread could not be made.
 */
int hwlat_start_stop_machine_thread(void);

/**
 * hwlat_stop_stop_machine_thread() - ends it and waits for its end; nothing where there is none
 *
 * Context: a task that holds `control` and not cpus_read_lock, which that thread takes.
 */
void hwlat_stop_stop_machine_thread(void);

/* device.c and debugfs.c: the two faces. */

/**
 * hwlat_device_init() - makes /dev/maxlat_hwlat
 *
 * Return: 0, or why not as a negative errno.
 */
int hwlat_device_init(void);

/**
 * hwlat_device_exit() - removes it
 *
 * Context: nobody has it open; an open file holds the module.
 */
void hwlat_device_exit(void);

/**
 * hwlat_debugfs_init() - makes the files in debugfs
 *
 * Nothing that it could not do matters: without debugfs there are no files.
 */
void hwlat_debugfs_init(void);

/**
 * hwlat_debugfs_exit() - removes them and releases the session that they own
 *
 * Context: a task; waits until nobody is in one of the files.
 */
void hwlat_debugfs_exit(void);

#endif
