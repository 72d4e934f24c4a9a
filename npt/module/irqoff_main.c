// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * maxlat_irqoff: interrupts really off, for npt. Start with irqoff_abi.h; irqoff_grant.c has the grants and their
 * watchdog, irqoff_loop.c the loop.
 */
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include <maxlat/kernel/device.h>
#include <maxlat/kernel/module_version.h>

#include "irqoff.h"

static int device_open(struct inode *inode, struct file *file)
{
	struct irqoff_file *mine;
	int error = maxlat_may_open();

	if (error)
		return error;
	mine = kzalloc(sizeof(*mine), GFP_KERNEL);
	if (!mine)
		return -ENOMEM;
	mutex_init(&mine->lock);
	file->private_data = mine;
	return nonseekable_open(inode, file);
}

/* Called at every close() of this file by any task: the holder's own close takes its grant away. */
static int device_flush(struct file *file, fl_owner_t owner)
{
	struct irqoff_file *mine = file->private_data;

	mutex_lock(&mine->lock);
	if (mine->grant && irqoff_grant_revoke(mine->grant) == 0) {
		irqoff_grant_free(mine->grant);
		mine->grant = NULL;
	}
	mutex_unlock(&mine->lock);
	return 0;
}

static int device_release(struct inode *inode, struct file *file)
{
	struct irqoff_file *mine = file->private_data;

	if (mine->grant)
		irqoff_grant_free(mine->grant);
	vfree(mine->histogram);
	kfree(mine);
	return 0;
}

static long ioctl_grant(struct irqoff_file *mine, const void __user *argument)
{
	struct maxlat_irqoff_grant request;
	int error = maxlat_copy_request(&request, argument, sizeof(request));

	if (error)
		return error;
	if (request.reserved != 0)
		return -EINVAL;
	if (mine->grant)
		return -EALREADY;
	return irqoff_grant_give(request.limit_ns, &mine->grant);
}

static long ioctl_revoke(struct irqoff_file *mine)
{
	long error;

	if (!mine->grant)
		return -ENODATA;
	error = irqoff_grant_revoke(mine->grant);
	if (!error) {
		irqoff_grant_free(mine->grant);
		mine->grant = NULL;
	}
	return error;
}

static long ioctl_loop(struct irqoff_file *mine, void __user *argument)
{
	struct maxlat_irqoff_loop loop;
	bool only_copy;
	int error = maxlat_copy_request(&loop, argument, sizeof(loop));

	if (error)
		return error;
	if (loop.flags & ~(MAXLAT_IRQOFF_LOOP_RESET | MAXLAT_IRQOFF_LOOP_ONLY_COPY))
		return -EINVAL;
	only_copy = loop.flags & MAXLAT_IRQOFF_LOOP_ONLY_COPY;
	if (!only_copy && (loop.duration_ns < MAXLAT_IRQOFF_MIN_LOOP_NS || loop.duration_ns > MAXLAT_IRQOFF_MAX_LOOP_NS))
		return -EINVAL;
	if (!mine->histogram) {
		mine->histogram = vzalloc(sizeof(*mine->histogram));
		if (!mine->histogram)
			return -ENOMEM;
		maxlat_histogram_init(mine->histogram);
	} else if (loop.flags & MAXLAT_IRQOFF_LOOP_RESET) {
		maxlat_histogram_init(mine->histogram);
	}
	if (!only_copy)
		irqoff_run_loop(&loop, mine->histogram);
	if (loop.histogram &&
	    copy_to_user((void __user *)(uintptr_t)loop.histogram, mine->histogram, sizeof(*mine->histogram)))
		return -EFAULT;
	return copy_to_user(argument, &loop, sizeof(loop)) ? -EFAULT : 0;
}

static long device_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct irqoff_file *mine = file->private_data;
	long result = -ENOTTY;

	if (mutex_lock_interruptible(&mine->lock))
		return -EINTR;
	switch (command) {
	case MAXLAT_IRQOFF_IOC_GRANT:
		result = ioctl_grant(mine, (const void __user *)argument);
		break;
	case MAXLAT_IRQOFF_IOC_REVOKE:
		result = ioctl_revoke(mine);
		break;
	case MAXLAT_IRQOFF_IOC_LOOP:
		result = ioctl_loop(mine, (void __user *)argument);
		break;
	case MAXLAT_IRQOFF_IOC_VERSION:
		result = put_user(MAXLAT_IRQOFF_ABI_VERSION, (u32 __user *)argument);
		break;
	}
	mutex_unlock(&mine->lock);
	return result;
}

static const struct file_operations device_operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.flush = device_flush,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = MAXLAT_DEVICE("maxlat_irqoff", &device_operations);

static int __init irqoff_init(void)
{
	int error = irqoff_grants_init();

	if (error)
		return error;
	error = misc_register(&device);
	if (error)
		irqoff_grants_exit();
	return error;
}

static void __exit irqoff_exit(void)
{
	misc_deregister(&device);
	irqoff_grants_exit();
}

module_init(irqoff_init);
module_exit(irqoff_exit);
MODULE_DESCRIPTION("maxlat: interrupts off for a measuring task, watched");
MODULE_AUTHOR("The maxlat authors");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_VERSION(MAXLAT_MODULE_VERSION);
