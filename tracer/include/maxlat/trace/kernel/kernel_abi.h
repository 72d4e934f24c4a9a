/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The interface between the kernel tracer (maxlat_trace.ko) and user space: one character device. Each open descriptor
 * is a session, with its own events, CPUs and rings. This header is the specification; module and readers include it.
 *
 * LIFE OF A SESSION
 *   open("/dev/maxlat_trace")  EMFILE for one more than MAXLAT_TRACE_SESSIONS. Needs CAP_SYS_RAWIO.
 *   INFO                       what this kernel has
 *   ADD, as often as needed    one more event that kernel_events.h does not have (RAW EVENTS, below)
 *   START                      rings are made, probes record; gives the size of a ring
 *   mmap(cpu * ring_bytes)     PROT_READ; the ring of that CPU. A mapping that can be written is refused, for good
 *   read, poll                 wait until there is something new, below
 *   GET ... PUT                one packet of one CPU: its bytes are in that CPU's mapping, this reader's until PUT
 *   STOP                       no probe is inside any more when it returns; the rings stay to be read to their end
 *   close                      stops it; so does the death of the owner
 *
 * THE RINGS are those of the tracer (maxlat/ring/layout.h), written with local atomics (MAXLAT_RING_THREAD) by whatever
 * runs on the CPU, interrupts and NMIs included. What lies in the mapping may be read by the ring's own code
 * (maxlat/ring/walk.h); counts of lost events are in each ring's header. With `overwrite` the oldest packets go when
 * there is no room (flight recorder); else the new events do.
 *
 * QUIET CPUS. GET gives packets that are full. The reader itself copies the packet that a CPU is still writing out of
 * the mapping, without that CPU's help (maxlat/ring/open_packet.h). So an event reaches the reader within the period,
 * however few there are, and no CPU is interrupted for that.
 *
 * DELIVERY. No probe wakes anybody. Every period_ms a kernel worker checks whether something was written since. If so,
 * read(2) of 8 bytes gives the number of periods in which something was written, as with a timerfd, and poll(2) returns
 * POLLIN. 0 is the end: the session was stopped. Without a period (0) the reader comes by its own timer.
 *
 * RECORDS have the event's id and the struct maxlat_kernel_RECORD of kernel_events.h as their payload.
 *
 * RAW EVENTS are tracepoints by their name, those of loaded modules, too, and functions by their symbol. ADD attaches
 * the probe and gives the id. A record has the arguments as the kernel handed them over, 8 bytes each:
 *
 *   MAXLAT_TRACE_TRACEPOINT    the first `arguments` of those that the tracepoint has. An argument of less than 8 bytes
 *                              leaves the upper ones undefined. The module cannot know how many there are, nor their
 *                              types: user space reads that in /sys/kernel/btf. A module whose tracepoint is used is
 *                              not unloaded before the session ends
 *   MAXLAT_TRACE_FUNCTION      a kprobe at its beginning: the address that it returns to, then `arguments` of the
 *                              registers of arguments, 6 at most. A call that comes while another function's probe
 *                              runs on that CPU, in an NMI or in what a probe calls, is missed by the kernel and is in
 *                              no count. A function's module may go; then it tells nothing more
 *
 * ERRORS  EINVAL: a request of another size or with values that cannot be; EBUSY: not in this state; EAGAIN (GET):
 *   no packet; ENOENT (START): this kernel lacks one of the events; ENOMEM (START): more than half of what is free;
 *   EPERM (mmap): writable. ADD: ENOENT: no such tracepoint or function; EINVAL, also: a function where the kernel
 *   allows no probe; EOPNOTSUPP: a tracepoint, and the kernel checks the types of what it calls (CONFIG_CFI_CLANG);
 *   ENOSPC: MAXLAT_TRACE_RAW_EVENTS are in use.
 */
#ifndef MAXLAT_TRACE_KERNEL_ABI_H
#define MAXLAT_TRACE_KERNEL_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <maxlat/trace/kernel/kernel_events.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAXLAT_TRACE_DEVICE "/dev/maxlat_trace"
#define MAXLAT_TRACE_ABI_VERSION 3
#define MAXLAT_TRACE_SESSIONS 8
#define MAXLAT_TRACE_MAX_PERIOD_MS 10000

#define MAXLAT_TRACE_RAW_EVENTS 1024      /* of all sessions together */
#define MAXLAT_TRACE_FIRST_RAW 65         /* the smallest id of one: behind all that have a bit */
#define MAXLAT_TRACE_RAW_ARGUMENTS 12     /* of a tracepoint, at most */
#define MAXLAT_TRACE_FUNCTION_ARGUMENTS 6 /* that are in registers */
#define MAXLAT_TRACE_RAW_NAME_BYTES 128   /* with its zero */

enum maxlat_trace_raw_kind { MAXLAT_TRACE_TRACEPOINT, MAXLAT_TRACE_FUNCTION };

#define MAXLAT_TRACE_COUNTER_CONSTANT 1u /* the counter's rate never changes, as far as processor and kernel know */

struct maxlat_trace_info {
  __u32 size;
  __u32 abi_version;
  __u64 counter_khz;
  __u64 events;    /* that this kernel has, a bit each */
  __u32 cpu_limit; /* CPU numbers are below */
  __u32 features;
};

struct maxlat_trace_add {
  __u32 size;
  __u32 kind; /* enum maxlat_trace_raw_kind */
  __u32 arguments;
  __u32 id; /* answered: of its records in this session */
  char name[MAXLAT_TRACE_RAW_NAME_BYTES];
};

struct maxlat_trace_start {
  __u32 size;
  __u32 sub_buffer_bits;
  __u32 ring_bits;
  __u32 overwrite;
  __u64 events;   /* may be 0 where raw events were added */
  __u64 cpu_mask; /* address of a bit mask; its CPUs are traced */
  __u32 cpu_mask_bytes; /* 0: all CPUs */
  __u32 period_ms;
  __u64 ring_bytes; /* answered: of one CPU's mapping */
};

struct maxlat_trace_packet {
  __u32 size;
  __u32 cpu;
  __u64 offset; /* answered, this and what follows: in the CPU's mapping */
  __u64 content_size;
  __u64 sequence;
};

struct maxlat_trace_put {
  __u32 size;
  __u32 cpu;
};

#define MAXLAT_TRACE_INFO _IOR('m', 0xb0, struct maxlat_trace_info)
#define MAXLAT_TRACE_START _IOWR('m', 0xb1, struct maxlat_trace_start)
#define MAXLAT_TRACE_STOP _IO('m', 0xb2)
#define MAXLAT_TRACE_GET _IOWR('m', 0xb3, struct maxlat_trace_packet)
#define MAXLAT_TRACE_PUT _IOW('m', 0xb4, struct maxlat_trace_put)
#define MAXLAT_TRACE_ADD _IOWR('m', 0xb5, struct maxlat_trace_add)

#ifdef __cplusplus
}
#endif
#endif
