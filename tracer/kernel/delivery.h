/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Who tells the reader that there is something new: a kernel worker that looks once in a period. Never a probe, because
 * a wake-up takes the scheduler's locks, which the probe may have interrupted (Desnoyers 2009, 4.6.2).
 *
 * The worker runs on CPUs that unbound workers may use, so not on isolated ones, and interrupts no other CPU: it looks
 * at how far each ring was written.
 */
#ifndef TRACE_DELIVERY_H
#define TRACE_DELIVERY_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct trace_delivery {
	struct delayed_work look;
	wait_queue_head_t waiting;
	atomic_t periods; /* in which something was written, and nobody has read that yet */
	unsigned long period; /* in ticks of the kernel's clock; 0: none */
	bool runs;
};

/**
 * trace_delivery_init() - of a new session
 * @delivery: the session's
 */
void trace_delivery_init(struct trace_delivery *delivery);

/**
 * trace_delivery_start() - begins to look
 * @delivery: of a session whose rings are made
 * @period_ms: how often; 0: never
 */
void trace_delivery_start(struct trace_delivery *delivery, unsigned int period_ms);

/**
 * trace_delivery_stop() - looks no more, and wakes who waits
 * @delivery: started
 *
 * Context: process. What was found and not read is still read; then it is the end.
 */
void trace_delivery_stop(struct trace_delivery *delivery);

/**
 * trace_delivery_read() - read(2): waits for periods in which something was written
 * @delivery: any
 * @may_wait: or -EAGAIN at once
 *
 * Return: how many; 0: the session does not run; -EAGAIN; -ERESTARTSYS.
 */
int trace_delivery_read(struct trace_delivery *delivery, bool may_wait);

/**
 * trace_delivery_poll() - poll(2)
 * @delivery: any
 * @file: the descriptor
 * @table: who asks
 *
 * Return: EPOLLIN when there is something to read, EPOLLHUP when the session does not run.
 */
__poll_t trace_delivery_poll(struct trace_delivery *delivery, struct file *file, poll_table *table);

#endif
