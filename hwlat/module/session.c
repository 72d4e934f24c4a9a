// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Life of the measurement: claim, configure, start, stop, release, and what a CPU or the whole machine going away does
 * to it. See session.h for the locks.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/vmalloc.h>

#include <maxlat/kernel/counts.h>

#include "session.h"

struct hwlat_session hwlat_session;

static enum cpuhp_state hotplug_state;

int hwlat_session_claim(void)
{
	return atomic_cmpxchg(&hwlat_session.owned, 0, 1) ? -EBUSY : 0;
}

static void free_cpus(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (!hwlat_session.cpus[cpu])
			continue;
		vfree(hwlat_session.cpus[cpu]->sampler.region); /* pages that are still mapped live until unmapped */
		kfree(hwlat_session.cpus[cpu]);
		hwlat_session.cpus[cpu] = NULL;
	}
	hwlat_session.configured = false;
	hwlat_session.cpu_count = 0;
}

static int allocate_cpu(unsigned int cpu, unsigned int turn)
{
	struct hwlat_cpu *c = kzalloc(sizeof(*c), GFP_KERNEL);
	const u64 khz = maxlat_counter_khz();
	u64 smi_count;

	if (!c)
		return -ENOMEM;
	c->sampler.region = vmalloc_user(HWLAT_REGION_BYTES);
	if (!c->sampler.region) {
		kfree(c);
		return -ENOMEM;
	}
	c->sampler.cpu = cpu;
	c->sampler.ratio.mult = div64_u64(1000000ull << 32, khz);
	c->sampler.ratio.inverse = div64_u64(khz << 32, 1000000ull);
	c->sampler.counts_smi = maxlat_read_smi_count(&smi_count);
	c->turn = turn;
	hwlat_session.cpus[cpu] = c;
	return 0;
}

static int check_configuration(u32 mode, u64 width_ns, u64 window_ns, u64 threshold_ns, u64 duration_ns,
			       const struct cpumask *mask)
{
	if (mode < MAXLAT_HWLAT_MODE_PER_CPU || mode > MAXLAT_HWLAT_MODE_STOP_MACHINE)
		return -EINVAL;
	if (width_ns < MAXLAT_HWLAT_MIN_WIDTH_NS || width_ns > MAXLAT_HWLAT_MAX_WIDTH_NS)
		return -EINVAL;
	if (mode == MAXLAT_HWLAT_MODE_STOP_MACHINE && width_ns > MAXLAT_HWLAT_MAX_STOP_MACHINE_WIDTH_NS)
		return -EINVAL;
	if (window_ns > MAXLAT_HWLAT_MAX_WINDOW_NS || width_ns >= window_ns ||
	    window_ns - width_ns < MAXLAT_HWLAT_MIN_REST_NS)
		return -EINVAL;
	if (width_ns * 1000 > window_ns * MAXLAT_HWLAT_MAX_SHARE_PERMILLE)
		return -EINVAL;
	if (threshold_ns == 0 || threshold_ns > MAXLAT_HWLAT_MAX_WIDTH_NS)
		return -EINVAL;
	if (duration_ns == 0 || duration_ns > MAXLAT_HWLAT_MAX_DURATION_NS)
		return -EINVAL;
	if (cpumask_empty(mask) || !cpumask_subset(mask, cpu_possible_mask))
		return -EINVAL;
	return 0;
}

int hwlat_session_configure(u32 mode, u64 width_ns, u64 window_ns, u64 threshold_ns, u64 duration_ns,
			    const struct cpumask *mask)
{
	struct hwlat_session *session = &hwlat_session;
	unsigned int cpu, turn = 0;
	int error = check_configuration(mode, width_ns, window_ns, threshold_ns, duration_ns, mask);

	if (error)
		return error;
	mutex_lock(&session->control);
	if (session->running) {
		error = -EBUSY;
		goto unlock;
	}
	free_cpus();
	for_each_cpu(cpu, mask) {
		error = allocate_cpu(cpu, turn++);
		if (error) {
			free_cpus();
			goto unlock;
		}
		hwlat_sampler_reset(&session->cpus[cpu]->sampler, width_ns, threshold_ns, 0);
	}
	session->mode = mode;
	session->width_ns = width_ns;
	session->window_ns = window_ns;
	session->threshold_ns = threshold_ns;
	session->duration_ns = duration_ns;
	cpumask_copy(&session->mask, mask);
	session->cpu_count = turn;
	session->configured = true;
unlock:
	mutex_unlock(&session->control);
	return error;
}

/* REQUIRES: control. */
static void stop_locked(void)
{
	struct hwlat_session *session = &hwlat_session;
	unsigned int cpu;

	if (!session->running)
		return;
	hwlat_stop_stop_machine_thread(); /* without cpus_read_lock: session.h tells why */
	cpus_read_lock();
	WRITE_ONCE(session->running, false); /* all threads end after the width they are in, not one after the other */
	for_each_cpu(cpu, &session->mask)
		hwlat_stop_cpu_thread(session->cpus[cpu]);
	cpus_read_unlock();
}

static int start_cpu_threads(void)
{
	unsigned int cpu;
	int error = 0;

	for_each_cpu_and(cpu, &hwlat_session.mask, cpu_online_mask) {
		error = hwlat_start_cpu_thread(hwlat_session.cpus[cpu]);
		if (error)
			break;
	}
	return error;
}

int hwlat_session_start(void)
{
	struct hwlat_session *session = &hwlat_session;
	unsigned int cpu;
	int error = 0;

	mutex_lock(&session->control);
	if (!session->configured)
		error = -ENODATA;
	else if (session->running)
		error = -EBUSY;
	if (error)
		goto unlock;

	/* late enough that every thread is there for the first window, and all CPUs begin together */
	session->starts = ktime_add_ns(ktime_get(), 5 * NSEC_PER_MSEC);
	session->ends = ktime_add_ns(session->starts, session->duration_ns);
	for_each_cpu(cpu, &session->mask)
		hwlat_sampler_reset(&session->cpus[cpu]->sampler, session->width_ns, session->threshold_ns,
				    ktime_to_ns(session->starts));
	atomic_set(&session->baton, 0);

	cpus_read_lock();
	session->running = true;
	if (session->mode == MAXLAT_HWLAT_MODE_STOP_MACHINE)
		error = hwlat_start_stop_machine_thread();
	else
		error = start_cpu_threads();
	cpus_read_unlock();
	if (error)
		stop_locked();
unlock:
	mutex_unlock(&session->control);
	return error;
}

void hwlat_session_stop(void)
{
	mutex_lock(&hwlat_session.control);
	stop_locked();
	mutex_unlock(&hwlat_session.control);
}

void hwlat_session_status(struct maxlat_hwlat_status *status)
{
	struct hwlat_session *session = &hwlat_session;

	mutex_lock(&session->control);
	memset(status, 0, sizeof(*status));
	status->size = sizeof(*status);
	status->cpus_configured = session->cpu_count;
	status->cpus_sampling = atomic_read(&session->sampling);
	if (session->running) {
		const bool over = status->cpus_sampling == 0 && ktime_after(ktime_get(), session->ends);

		status->state = over ? MAXLAT_HWLAT_FINISHED : MAXLAT_HWLAT_RUNNING;
		status->started_ns = ktime_to_ns(session->starts);
		status->ends_ns = ktime_to_ns(session->ends);
	} else {
		status->state = session->configured ? MAXLAT_HWLAT_READY : MAXLAT_HWLAT_IDLE;
	}
	mutex_unlock(&session->control);
}

void hwlat_session_release(void)
{
	mutex_lock(&hwlat_session.control);
	stop_locked();
	free_cpus();
	mutex_unlock(&hwlat_session.control);
	atomic_set(&hwlat_session.owned, 0);
}

/* A CPU that was asked for came back: it samples again, into the same region. */
static int cpu_came_online(unsigned int cpu)
{
	struct hwlat_session *session = &hwlat_session;

	if (!session->running || session->mode == MAXLAT_HWLAT_MODE_STOP_MACHINE || !session->cpus[cpu])
		return 0;
	return hwlat_start_cpu_thread(session->cpus[cpu]);
}

static int cpu_goes_offline(unsigned int cpu)
{
	struct hwlat_session *session = &hwlat_session;

	if (session->running && session->cpus[cpu]) {
		hwlat_stop_cpu_thread(session->cpus[cpu]);
		WRITE_ONCE(hwlat_header(&session->cpus[cpu]->sampler)->state, MAXLAT_HWLAT_CPU_OFFLINE);
	}
	return 0;
}

/* Devices must be able to answer while the machine goes to sleep: no width begins from here to the wake-up. */
static int on_power_event(struct notifier_block *block, unsigned long event, void *unused)
{
	switch (event) {
	case PM_HIBERNATION_PREPARE:
	case PM_SUSPEND_PREPARE:
	case PM_RESTORE_PREPARE:
		WRITE_ONCE(hwlat_session.paused, true);
		break;
	case PM_POST_HIBERNATION:
	case PM_POST_SUSPEND:
	case PM_POST_RESTORE:
		WRITE_ONCE(hwlat_session.paused, false);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block power_notifier = {.notifier_call = on_power_event};

int hwlat_session_init(void)
{
	int state, error;

	mutex_init(&hwlat_session.control);
	hwlat_session.cpus = kcalloc(nr_cpu_ids, sizeof(*hwlat_session.cpus), GFP_KERNEL);
	if (!hwlat_session.cpus)
		return -ENOMEM;
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "maxlat/hwlat:online", cpu_came_online, cpu_goes_offline);
	if (state < 0) {
		kfree(hwlat_session.cpus);
		return state;
	}
	hotplug_state = state;
	error = register_pm_notifier(&power_notifier);
	if (error) {
		cpuhp_remove_state_nocalls(hotplug_state);
		kfree(hwlat_session.cpus);
	}
	return error;
}

void hwlat_session_exit(void)
{
	unregister_pm_notifier(&power_notifier);
	cpuhp_remove_state_nocalls(hotplug_state);
	free_cpus();
	kfree(hwlat_session.cpus);
}
