/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* CPUs, as user space names them to our devices: a bit mask of any length. */
#ifndef MAXLAT_KERNEL_CPU_MASK_H
#define MAXLAT_KERNEL_CPU_MASK_H

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

/**
 * maxlat_copy_cpu_mask() - copies a bit mask of CPUs from user space
 * @mask: receives it
 * @address: where it is in user space
 * @byte_count: its length
 *
 * Bits beyond the CPUs of this machine are an error, not ignored.
 *
 * Return: 0; -EFAULT; -ENOMEM; -EINVAL.
 */
static inline int maxlat_copy_cpu_mask(struct cpumask *mask, u64 address, u32 byte_count)
{
	u8 *bytes;
	u32 bit;
	int error = 0;

	if (byte_count == 0 || byte_count > PAGE_SIZE)
		return -EINVAL;
	bytes = memdup_user((const void __user *)(uintptr_t)address, byte_count);
	if (IS_ERR(bytes))
		return PTR_ERR(bytes);
	cpumask_clear(mask);
	for (bit = 0; bit < byte_count * 8; bit++) {
		if (!(bytes[bit / 8] & (1u << (bit % 8))))
			continue;
		if (bit >= nr_cpu_ids) {
			error = -EINVAL;
			break;
		}
		cpumask_set_cpu(bit, mask);
	}
	kfree(bytes);
	return error;
}

#endif
