// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Contract: delivery.h. */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/workqueue.h>
#include <maxlat/kernel/kernel_versions.h>

#include "session.h"

static bool is_something_new(struct trace_session *session)
{
	bool new = false;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct trace_ring *ring = session->rings[cpu];
		u64 written;

		if (!ring)
			continue;
		/* relaxed: if it moves on now, the next look sees it */
		written = maxlat_ring_load(ring->ring.write_count);
		new |= written != ring->seen;
		ring->seen = written;
	}
	return new;
}

static void look(struct work_struct *work)
{
	struct trace_delivery *delivery = container_of(to_delayed_work(work), struct trace_delivery, look);

	if (is_something_new(container_of(delivery, struct trace_session, delivery))) {
		atomic_inc(&delivery->periods);
		wake_up_interruptible(&delivery->waiting);
	}
	queue_delayed_work(system_dfl_wq, &delivery->look, delivery->period);
}

void trace_delivery_init(struct trace_delivery *delivery)
{
	INIT_DELAYED_WORK(&delivery->look, look);
	init_waitqueue_head(&delivery->waiting);
}

void trace_delivery_start(struct trace_delivery *delivery, unsigned int period_ms)
{
	WRITE_ONCE(delivery->runs, true);
	delivery->period = msecs_to_jiffies(period_ms);
	if (period_ms > 0)
		queue_delayed_work(system_dfl_wq, &delivery->look, delivery->period);
}

void trace_delivery_stop(struct trace_delivery *delivery)
{
	cancel_delayed_work_sync(&delivery->look);
	WRITE_ONCE(delivery->runs, false);
	wake_up_interruptible(&delivery->waiting);
}

static bool is_over(const struct trace_delivery *delivery)
{
	return !READ_ONCE(delivery->runs);
}

int trace_delivery_read(struct trace_delivery *delivery, bool may_wait)
{
	int periods = atomic_xchg(&delivery->periods, 0);

	if (periods == 0 && may_wait) {
		int error = wait_event_interruptible(delivery->waiting, atomic_read(&delivery->periods) > 0 ||
									is_over(delivery));

		if (error)
			return error;
		periods = atomic_xchg(&delivery->periods, 0);
	}
	return periods > 0 || is_over(delivery) ? periods : -EAGAIN;
}

__poll_t trace_delivery_poll(struct trace_delivery *delivery, struct file *file, poll_table *table)
{
	__poll_t events = 0;

	poll_wait(file, &delivery->waiting, table);
	if (atomic_read(&delivery->periods) > 0)
		events |= EPOLLIN | EPOLLRDNORM;
	if (is_over(delivery))
		events |= EPOLLHUP;
	return events;
}
