// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The device of ring_abi.h: NMIs trace into vmalloc memory that user space has mapped read-only. One user at a time. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/nmi.h>
#include <maxlat/ring/read.h>
#include <maxlat/ring/switch.h>

#include <maxlat/kernel/device.h>
#include <maxlat/kernel/kernel_versions.h>

#include "../planter/hpet.h"
#include "ring_abi.h"
#include "ring_events.h"
#include "ring_test.h"

#define NMI_EVERY_TICKS 2000 /* 20 us */

static struct maxlat_ring ring;
static struct maxlat_ring_reader reader;
static struct maxlat_ring_view in_hand;
static void *memory;
static u64 memory_bytes;
static void __iomem *hpet;
static struct ring_context nmi_context = { .id = 1 };
static u64 nmis_to_come, nmis, nmis_in_user_space;
static unsigned long opened;

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	unsigned int i;

	if (READ_ONCE(nmis_to_come) == 0)
		return NMI_DONE;
	for (i = 0; i < RING_TEST_EVENTS_OF_AN_NMI; i++)
		ring_write_event(MAXLAT_RING_THREAD, &ring, &nmi_context, 16);
	nmis++;
	nmis_in_user_space += user_mode(regs);
	WRITE_ONCE(nmis_to_come, nmis_to_come - 1);
	if (nmis_to_come)
		hpet_aim(hpet, 0, DELIVER_NMI, hpet_now(hpet) + NMI_EVERY_TICKS);
	return NMI_HANDLED;
}

static int device_open(struct inode *inode, struct file *file)
{
	if (maxlat_may_open())
		return -EPERM;
	return test_and_set_bit(0, &opened) ? -EBUSY : nonseekable_open(inode, file);
}

static int device_release(struct inode *inode, struct file *file)
{
	clear_bit(0, &opened);
	return 0;
}

/* Read-only for good: a writer of the ring trusts what is in it. */
static int device_mmap(struct file *file, struct vm_area_struct *area)
{
	if (area->vm_flags & VM_WRITE)
		return -EPERM;
	vm_flags_mod(area, 0, VM_MAYWRITE);
	return remap_vmalloc_range(area, memory, area->vm_pgoff);
}

static long get_packet(struct ring_test_packet __user *to)
{
	struct ring_test_packet packet;

	if (in_hand.bytes)
		return -EBUSY;
	if (maxlat_ring_get(&reader, &in_hand) != MAXLAT_RING_GOT)
		return -EAGAIN;
	packet.offset = in_hand.bytes - (const u8 *)memory;
	packet.content_size = in_hand.content_size;
	return copy_to_user(to, &packet, sizeof(packet)) ? -EFAULT : 0;
}

static long put_packet(void)
{
	if (!in_hand.bytes)
		return -EINVAL;
	maxlat_ring_put(&reader, &in_hand);
	in_hand.bytes = NULL;
	return 0;
}

static long tell_books(struct ring_test_books __user *to)
{
	const struct ring_test_books books = {
		.bytes = memory_bytes,
		.nmis = nmis,
		.nmis_in_user_space = nmis_in_user_space,
		.tried = nmi_context.tried,
		.delivered = ring.header->records_delivered,
		.lost = ring.header->lost_full + ring.header->lost_wrap + ring.header->lost_big,
	};

	return copy_to_user(to, &books, sizeof(books)) ? -EFAULT : 0;
}

static long device_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	switch (command) {
	case RING_TEST_NMIS:
		if (READ_ONCE(nmis_to_come) || argument == 0)
			return -EINVAL;
		WRITE_ONCE(nmis_to_come, argument);
		hpet_aim(hpet, 0, DELIVER_NMI, hpet_now(hpet) + NMI_EVERY_TICKS);
		return 0;
	case RING_TEST_GET:
		return get_packet((void __user *)argument);
	case RING_TEST_PUT:
		return put_packet();
	case RING_TEST_FINALISE:
		if (READ_ONCE(nmis_to_come))
			return -EBUSY;
		maxlat_ring_finalise(MAXLAT_RING_THREAD, &ring);
		return 0;
	case RING_TEST_BOOKS:
		return tell_books((void __user *)argument);
	}
	return -ENOTTY;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.mmap = device_mmap,
	.unlocked_ioctl = device_ioctl,
};

static struct miscdevice device = MAXLAT_DEVICE("maxlat_ring_test", &operations);

int ring_device_start(void)
{
	const struct maxlat_ring_options options = { .sub_buffer_bits = 12, .ring_bits = 2 };
	int status = -ENOMEM;

	memory_bytes = PAGE_ALIGN(maxlat_ring_size(&options));
	memory = vmalloc_user(memory_bytes);
	hpet = hpet_map();
	if (!memory || !hpet || !maxlat_ring_create(&ring, memory, memory_bytes, &options) ||
	    !maxlat_ring_reader_start(&reader, &ring))
		goto free;
	status = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "maxlat_ring_device");
	if (status)
		goto free;
	status = misc_register(&device);
	if (status == 0)
		return 0;
	unregister_nmi_handler(NMI_LOCAL, "maxlat_ring_device");
free:
	if (hpet)
		iounmap(hpet);
	vfree(memory);
	return status;
}

void ring_device_stop(void)
{
	misc_deregister(&device);
	hpet_stop(hpet);
	unregister_nmi_handler(NMI_LOCAL, "maxlat_ring_device");
	iounmap(hpet);
	vfree(memory);
}
