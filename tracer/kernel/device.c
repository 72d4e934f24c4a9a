// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * maxlat_trace: the kernel's events on the tracer's ring. Start with maxlat/trace/kernel/kernel_abi.h, then session.h
 * (locks), dispatch.h and probes.c (what runs in a traced context). Here: the device, and the checks on what comes from
 * user space.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/vmalloc.h>

#include <maxlat/kernel/counts.h>
#include <maxlat/kernel/cpu_mask.h>
#include <maxlat/kernel/device.h>
#include <maxlat/kernel/kernel_versions.h>
#include <maxlat/kernel/module_version.h>

#include "events.h"
#include "ipi_hooks.h"
#include "machine_counts.h"
#include "session.h"

static int device_open(struct inode *inode, struct file *file)
{
	struct trace_session *session;
	int error = maxlat_may_open();

	if (!error)
		error = security_locked_down(LOCKDOWN_TRACEFS); /* as tracefs asks */
	if (error)
		return error;
	session = trace_session_new();
	if (IS_ERR(session))
		return PTR_ERR(session);
	file->private_data = session;
	return nonseekable_open(inode, file);
}

static int device_release(struct inode *inode, struct file *file)
{
	trace_session_free(file->private_data);
	return 0;
}

static long ioctl_info(void __user *argument)
{
	const struct maxlat_trace_info info = {
		.size = sizeof(info),
		.abi_version = MAXLAT_TRACE_ABI_VERSION,
		.counter_khz = maxlat_counter_khz(),
		.events = trace_events_known(),
		.cpu_limit = nr_cpu_ids,
		.features = maxlat_counter_constant() ? MAXLAT_TRACE_COUNTER_CONSTANT : 0,
	};

	return copy_to_user(argument, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ioctl_add(struct trace_session *session, void __user *argument)
{
	struct maxlat_trace_add request;
	int error = maxlat_copy_request(&request, argument, sizeof(request));

	if (error)
		return error;
	if (session->state != TRACE_NEW)
		return -EBUSY;
	error = trace_session_add(session, &request);
	if (error)
		return error;
	return copy_to_user(argument, &request, sizeof(request)) ? -EFAULT : 0;
}

static int copy_cpus(struct cpumask *cpus, const struct maxlat_trace_start *request)
{
	if (request->cpu_mask_bytes > 0)
		return maxlat_copy_cpu_mask(cpus, request->cpu_mask, request->cpu_mask_bytes);
	cpumask_copy(cpus, cpu_possible_mask);
	return 0;
}

static long ioctl_start(struct trace_session *session, void __user *argument)
{
	struct maxlat_trace_start request;
	cpumask_var_t cpus;
	int error = maxlat_copy_request(&request, argument, sizeof(request));

	if (error)
		return error;
	if (session->state != TRACE_NEW)
		return -EBUSY;
	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	error = copy_cpus(cpus, &request);
	if (!error) {
		cpumask_and(cpus, cpus, cpu_possible_mask);
		error = trace_session_start(session, &request, cpus);
	}
	free_cpumask_var(cpus);
	if (error)
		return error;
	return copy_to_user(argument, &request, sizeof(request)) ? -EFAULT : 0;
}

static long ioctl_get(struct trace_session *session, void __user *argument)
{
	struct maxlat_trace_packet packet;
	struct trace_ring *ring;
	int error = maxlat_copy_request(&packet, argument, sizeof(packet));

	if (error)
		return error;
	ring = trace_session_ring(session, packet.cpu);
	if (!ring)
		return -EINVAL;
	if (ring->in_hand.bytes)
		return -EBUSY;
	if (maxlat_ring_get(&ring->reader, &ring->in_hand) != MAXLAT_RING_GOT) {
		ring->in_hand.bytes = NULL;
		return -EAGAIN;
	}
	packet.offset = ring->in_hand.bytes - (const u8 *)ring->memory;
	packet.content_size = ring->in_hand.content_size;
	packet.sequence = ring->in_hand.sequence;
	return copy_to_user(argument, &packet, sizeof(packet)) ? -EFAULT : 0;
}

static long ioctl_put(struct trace_session *session, void __user *argument)
{
	struct maxlat_trace_put request;
	struct trace_ring *ring;
	int error = maxlat_copy_request(&request, argument, sizeof(request));

	if (error)
		return error;
	ring = trace_session_ring(session, request.cpu);
	if (!ring || !ring->in_hand.bytes)
		return -EINVAL;
	maxlat_ring_put(&ring->reader, &ring->in_hand);
	ring->in_hand.bytes = NULL;
	return 0;
}

static long ioctl_locked(struct trace_session *session, unsigned int command, void __user *argument)
{
	switch (command) {
	case MAXLAT_TRACE_INFO:
		return ioctl_info(argument);
	case MAXLAT_TRACE_ADD:
		return ioctl_add(session, argument);
	case MAXLAT_TRACE_START:
		return ioctl_start(session, argument);
	case MAXLAT_TRACE_GET:
		return ioctl_get(session, argument);
	case MAXLAT_TRACE_PUT:
		return ioctl_put(session, argument);
	case MAXLAT_TRACE_STOP:
		if (session->state != TRACE_RUNNING)
			return -EBUSY;
		trace_session_stop(session);
		return 0;
	}
	return -ENOTTY;
}

static long device_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct trace_session *session = file->private_data;
	long result;

	if (mutex_lock_interruptible(&session->lock))
		return -EINTR;
	result = ioctl_locked(session, command, (void __user *)argument);
	mutex_unlock(&session->lock);
	return result;
}

/* Read-only for good: writers trust what is in a ring. */
static int device_mmap(struct file *file, struct vm_area_struct *area)
{
	const struct trace_session *session = file->private_data;
	const u64 offset = (u64)area->vm_pgoff << PAGE_SHIFT;
	const struct trace_ring *ring;

	if (area->vm_flags & VM_WRITE)
		return -EPERM;
	if (!smp_load_acquire(&session->rings) || offset % session->ring_bytes != 0) /* partner in session.c */
		return -EINVAL;
	ring = trace_session_ring(session, offset / session->ring_bytes);
	if (!ring)
		return -EINVAL;
	vm_flags_mod(area, 0, VM_MAYWRITE);
	return remap_vmalloc_range(area, ring->memory, 0);
}

static ssize_t device_read(struct file *file, char __user *to, size_t bytes, loff_t *offset)
{
	struct trace_session *session = file->private_data;
	u64 periods;
	int result;

	if (bytes != sizeof(periods))
		return -EINVAL;
	result = trace_delivery_read(&session->delivery, !(file->f_flags & O_NONBLOCK));
	if (result <= 0)
		return result;
	periods = result;
	return copy_to_user(to, &periods, sizeof(periods)) ? -EFAULT : (ssize_t)sizeof(periods);
}

static __poll_t device_poll(struct file *file, poll_table *table)
{
	struct trace_session *session = file->private_data;

	return trace_delivery_poll(&session->delivery, file, table);
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.read = device_read,
	.poll = device_poll,
	.mmap = device_mmap,
	.unlocked_ioctl = device_ioctl,
};

static struct miscdevice device = MAXLAT_DEVICE("maxlat_trace", &operations);

static int __init maxlat_trace_init(void)
{
	int error;

	trace_counts_find();
	trace_events_find();
	error = misc_register(&device);
	if (error)
		trace_ipi_hooks_forget();
	return error;
}

static void __exit maxlat_trace_exit(void)
{
	misc_deregister(&device);
	trace_ipi_hooks_forget();
}

module_init(maxlat_trace_init);
module_exit(maxlat_trace_exit);
MODULE_DESCRIPTION("maxlat: the kernel's events on the tracer's ring");
MODULE_AUTHOR("The maxlat authors");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_VERSION(MAXLAT_MODULE_VERSION);
