// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The threads that take the CPUs: one per CPU, or one for all of them in stop_machine mode.
 *
 * A thread is an ordinary task of nice -20. Not SCHED_FIFO: a real-time task that works 95 % of the time runs into the
 * kernel's RT throttling, and would keep the box's own real-time tasks from running. What other work takes from the
 * sampler is not lost silently: exposure counts only what was watched, and windows_missed says that the CPU was busy.
 *
 * Windows are on one grid for all CPUs, starts + n * window, so that CPUs that sample at once really do, and a gap that
 * hits all of them is seen as one. A thread that comes late does not catch up: points of the grid that have passed
 * while it could not run, or while it sampled, are skipped.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/nmi.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>

#include "session.h"

/* Sleeps until `when`, or until the thread is asked to stop. */
static void sleep_until(ktime_t when)
{
	set_current_state(TASK_INTERRUPTIBLE);
	if (kthread_should_stop()) {
		__set_current_state(TASK_RUNNING);
		return;
	}
	schedule_hrtimeout(&when, HRTIMER_MODE_ABS); /* no slack: a kernel thread gets what it asks for */
}

static bool must_end(ktime_t now)
{
	return kthread_should_stop() || !READ_ONCE(hwlat_session.running) || !ktime_before(now, hwlat_session.ends);
}

/* Number of the window that `now` lies in. REQUIRES: now >= starts. */
static u64 window_at(ktime_t now)
{
	return div64_u64(ktime_to_ns(ktime_sub(now, hwlat_session.starts)), hwlat_session.window_ns);
}

static ktime_t window_begins(u64 window)
{
	return ktime_add_ns(hwlat_session.starts, window * hwlat_session.window_ns);
}

/* Round robin is strict: even a late thread never samples while another does. */
static bool take_turn(const struct hwlat_cpu *c, u64 window)
{
	u64 turn;

	if (hwlat_session.mode != MAXLAT_HWLAT_MODE_ROUND_ROBIN)
		return true;
	div64_u64_rem(window, hwlat_session.cpu_count, &turn);
	return turn == c->turn && atomic_cmpxchg(&hwlat_session.baton, 0, 1) == 0;
}

static void end_turn(void)
{
	if (hwlat_session.mode == MAXLAT_HWLAT_MODE_ROUND_ROBIN)
		atomic_set(&hwlat_session.baton, 0);
}

/* The window that `now` lies in, or `window` if that is later; those between have passed without this thread. */
static u64 skip_missed(struct hwlat_cpu *c, u64 window, ktime_t now)
{
	struct maxlat_hwlat_cpu *header = hwlat_header(&c->sampler);
	const u64 present = max(window_at(now), window);

	if (hwlat_session.mode == MAXLAT_HWLAT_MODE_PER_CPU)
		WRITE_ONCE(header->windows_missed, header->windows_missed + (present - window));
	return present;
}

static void sample_with_interrupts_off(struct hwlat_cpu *c)
{
	local_irq_disable();
	/* a CPU on its way out may have pushed this thread to another one: then there is nothing to say about either */
	if (raw_smp_processor_id() == c->sampler.cpu)
		hwlat_sample_width(&c->sampler);
	touch_nmi_watchdog(); /* and the soft one: neither may take the width for a hang */
	local_irq_enable();
}

static int cpu_thread(void *argument)
{
	struct hwlat_cpu *c = argument;
	struct maxlat_hwlat_cpu *header = hwlat_header(&c->sampler);
	ktime_t now = ktime_get();
	u64 window = ktime_before(now, hwlat_session.starts) ? 0 : window_at(now) + 1;

	sched_set_normal(current, MIN_NICE);
	WRITE_ONCE(header->state, MAXLAT_HWLAT_CPU_SAMPLING);
	for (;;) {
		sleep_until(window_begins(window));
		now = ktime_get();
		if (must_end(now))
			break;
		if (ktime_before(now, window_begins(window)))
			continue; /* woken for another reason */
		window = skip_missed(c, window, now);
		if (!READ_ONCE(hwlat_session.paused) && take_turn(c, window)) {
			sample_with_interrupts_off(c);
			end_turn();
			window = skip_missed(c, window, ktime_get());
		}
		window++;
	}
	WRITE_ONCE(header->state, MAXLAT_HWLAT_CPU_FINISHED);
	atomic_dec(&hwlat_session.sampling);
	return 0;
}

int hwlat_start_cpu_thread(struct hwlat_cpu *c)
{
	struct task_struct *thread = kthread_create(cpu_thread, c, "maxlat_hwlat/%u", c->sampler.cpu);

	if (IS_ERR(thread))
		return PTR_ERR(thread);
	kthread_bind(thread, c->sampler.cpu);
	get_task_struct(thread); /* it may end by itself, when the duration is over, before it is asked to */
	c->thread = thread;
	WRITE_ONCE(hwlat_header(&c->sampler)->state, MAXLAT_HWLAT_CPU_WAITING);
	atomic_inc(&hwlat_session.sampling);
	wake_up_process(thread);
	return 0;
}

void hwlat_stop_cpu_thread(struct hwlat_cpu *c)
{
	if (!c->thread)
		return;
	if (kthread_stop(c->thread) == -EINTR) /* it never ran: its last lines have not been executed */
		atomic_dec(&hwlat_session.sampling);
	put_task_struct(c->thread);
	c->thread = NULL;
}

/* Runs on every configured CPU at once, interrupts off; the other CPUs spin in the kernel until all have finished. */
static int sample_stopped_machine(void *unused)
{
	struct hwlat_cpu *c = hwlat_session.cpus[raw_smp_processor_id()];

	hwlat_sample_width(&c->sampler);
	touch_nmi_watchdog();
	return 0;
}

static void set_all_states(u32 state)
{
	unsigned int cpu;

	for_each_cpu(cpu, &hwlat_session.mask)
		WRITE_ONCE(hwlat_header(&hwlat_session.cpus[cpu]->sampler)->state, state);
}

static int stop_machine_thread(void *unused)
{
	u64 window = 0;

	set_all_states(MAXLAT_HWLAT_CPU_SAMPLING);
	for (;;) {
		ktime_t now;

		sleep_until(window_begins(window));
		now = ktime_get();
		if (must_end(now))
			break;
		if (ktime_before(now, window_begins(window)))
			continue;
		if (!READ_ONCE(hwlat_session.paused))
			stop_machine(sample_stopped_machine, NULL, &hwlat_session.mask);
		window = max(window_at(ktime_get()), window) + 1;
	}
	set_all_states(MAXLAT_HWLAT_CPU_FINISHED);
	atomic_dec(&hwlat_session.sampling);
	return 0;
}

int hwlat_start_stop_machine_thread(void)
{
	struct task_struct *thread = kthread_create(stop_machine_thread, NULL, "maxlat_hwlat/all");

	if (IS_ERR(thread))
		return PTR_ERR(thread);
	get_task_struct(thread);
	hwlat_session.stop_machine_thread = thread;
	set_all_states(MAXLAT_HWLAT_CPU_WAITING);
	atomic_inc(&hwlat_session.sampling);
	wake_up_process(thread);
	return 0;
}

void hwlat_stop_stop_machine_thread(void)
{
	if (!hwlat_session.stop_machine_thread)
		return;
	if (kthread_stop(hwlat_session.stop_machine_thread) == -EINTR)
		atomic_dec(&hwlat_session.sampling);
	put_task_struct(hwlat_session.stop_machine_thread);
	hwlat_session.stop_machine_thread = NULL;
}
