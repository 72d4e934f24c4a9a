/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * /dev/maxlat_ring_test: a ring that NMIs write and user space reads: its memory by mmap(2), read-only, and get and put
 * by ioctl, because they write. Read by programs/nmi_ring_reader.cpp.
 */
#ifndef RING_ABI_H
#define RING_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define RING_TEST_EVENTS_OF_AN_NMI 3

struct ring_test_packet {
	__u64 offset; /* in the mapping */
	__u64 content_size;
};

struct ring_test_books {
	__u64 bytes; /* of the mapping */
	__u64 nmis;  /* that came */
	__u64 nmis_in_user_space;
	__u64 tried; /* events */
	__u64 delivered;
	__u64 lost;
};

#define RING_TEST_NMIS _IO('m', 0xa0) /* so many from now on, the argument */
#define RING_TEST_GET _IOR('m', 0xa1, struct ring_test_packet) /* EAGAIN: nothing there */
#define RING_TEST_PUT _IO('m', 0xa2)
#define RING_TEST_FINALISE _IO('m', 0xa3) /* EBUSY: NMIs are still to come */
#define RING_TEST_BOOKS _IOR('m', 0xa4, struct ring_test_books)

#endif
