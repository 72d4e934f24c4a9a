/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the devices of all our modules have in common: /dev/NAME is root's alone, opening it needs CAP_SYS_RAWIO, and
 * every structure that user space hands over begins with its own size, so that a program of another version is refused.
 */
#ifndef MAXLAT_KERNEL_DEVICE_H
#define MAXLAT_KERNEL_DEVICE_H

#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/miscdevice.h>
#include <linux/uaccess.h>

/**
 * MAXLAT_DEVICE() - initialiser of the struct miscdevice of /dev/NAME
 * @device_name: the name
 * @operations: its struct file_operations
 */
#define MAXLAT_DEVICE(device_name, operations) \
	{.minor = MISC_DYNAMIC_MINOR, .name = (device_name), .fops = (operations), .mode = 0600}

/**
 * maxlat_may_open() - whether the calling task may open a device of ours
 *
 * Who has CAP_SYS_RAWIO may reach every I/O port anyway.
 *
 * Return: 0 or -EPERM.
 */
static inline int maxlat_may_open(void)
{
	return capable(CAP_SYS_RAWIO) ? 0 : -EPERM;
}

/**
 * maxlat_copy_request() - copies a request from user space and checks its size
 * @request: receives it; a structure that begins with a __u32 size
 * @argument: where it is in user space
 * @bytes: size of the structure that this module knows
 *
 * Return: 0; -EFAULT; -EINVAL where the caller knows another structure.
 */
static inline int maxlat_copy_request(void *request, const void __user *argument, u32 bytes)
{
	if (copy_from_user(request, argument, bytes))
		return -EFAULT;
	return *(const u32 *)request == bytes ? 0 : -EINVAL;
}

#endif
