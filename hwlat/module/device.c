// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * /dev/maxlat_hwlat: the ioctls and mappings of module_abi.h, and the checks on everything that comes from user space.
 */
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include <maxlat/kernel/counts.h>
#include <maxlat/kernel/cpu_mask.h>
#include <maxlat/kernel/device.h>
#include <maxlat/kernel/kernel_versions.h>

#include "session.h"

static int device_open(struct inode *inode, struct file *file)
{
	int error = maxlat_may_open();

	if (error)
		return error;
	error = hwlat_session_claim();
	return error ? error : nonseekable_open(inode, file);
}

static int device_release(struct inode *inode, struct file *file)
{
	hwlat_session_release();
	return 0;
}

static long ioctl_info(void __user *argument)
{
	struct maxlat_hwlat_info info = {
		.abi_version = MAXLAT_HWLAT_ABI_VERSION,
		.size = sizeof(info),
		.counter_khz = maxlat_counter_khz(),
		.region_bytes = HWLAT_REGION_BYTES,
		.record_capacity = MAXLAT_HWLAT_RECORDS,
		.cpu_limit = nr_cpu_ids,
	};
	u64 smi_count;

	info.ns_per_tick = div64_u64(1000000ull << 32, info.counter_khz);
	info.ticks_per_ns = div64_u64(info.counter_khz << 32, 1000000ull);
	if (maxlat_read_smi_count(&smi_count))
		info.features |= MAXLAT_HWLAT_SMI_COUNT;
	if (maxlat_counts_nmi())
		info.features |= MAXLAT_HWLAT_NMI_COUNT;
	if (maxlat_counter_constant())
		info.features |= MAXLAT_HWLAT_COUNTER_CONSTANT;
	return copy_to_user(argument, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ioctl_configure(const void __user *argument)
{
	struct maxlat_hwlat_config config;
	cpumask_var_t mask;
	long error;

	error = maxlat_copy_request(&config, argument, sizeof(config));
	if (error)
		return error;
	if (config.reserved != 0)
		return -EINVAL;
	if (!alloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	error = maxlat_copy_cpu_mask(mask, config.cpu_mask, config.cpu_mask_bytes);
	if (!error)
		error = hwlat_session_configure(config.mode, config.width_ns, config.window_ns, config.threshold_ns,
						config.duration_ns, mask);
	free_cpumask_var(mask);
	return error;
}

static long ioctl_status(void __user *argument)
{
	struct maxlat_hwlat_status status;

	hwlat_session_status(&status);
	return copy_to_user(argument, &status, sizeof(status)) ? -EFAULT : 0;
}

static long device_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	switch (command) {
	case MAXLAT_HWLAT_IOC_INFO:
		return ioctl_info((void __user *)argument);
	case MAXLAT_HWLAT_IOC_CONFIGURE:
		return ioctl_configure((const void __user *)argument);
	case MAXLAT_HWLAT_IOC_START:
		return hwlat_session_start();
	case MAXLAT_HWLAT_IOC_STOP:
		hwlat_session_stop();
		return 0;
	case MAXLAT_HWLAT_IOC_STATUS:
		return ioctl_status((void __user *)argument);
	}
	return -ENOTTY;
}

/* One whole region, for reading, never to become writable, not inherited over fork (a child is not the owner). */
static int device_mmap(struct file *file, struct vm_area_struct *vma)
{
	const unsigned long region_pages = HWLAT_REGION_BYTES >> PAGE_SHIFT;
	unsigned long cpu = vma->vm_pgoff / region_pages;
	struct hwlat_cpu *c;
	int error;

	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	if (vma->vm_pgoff % region_pages != 0 || vma_pages(vma) != region_pages || cpu >= nr_cpu_ids)
		return -EINVAL;
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);
	mutex_lock(&hwlat_session.control);
	c = hwlat_session.cpus[cpu];
	error = c ? remap_vmalloc_range(vma, c->sampler.region, 0) : -ENXIO;
	mutex_unlock(&hwlat_session.control);
	return error;
}

static const struct file_operations device_operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = device_mmap,
};

static struct miscdevice device = MAXLAT_DEVICE("maxlat_hwlat", &device_operations);

int hwlat_device_init(void)
{
	return misc_register(&device);
}

void hwlat_device_exit(void)
{
	misc_deregister(&device);
}
