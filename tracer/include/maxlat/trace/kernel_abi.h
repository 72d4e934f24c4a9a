/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The border between the kernel tracer (maxlat_trace.ko) and user space: one character device; an open descriptor is a
 * session, with a ring of its own for each CPU. This header is the specification; module and readers include it.
 *
 * LIFE OF A SESSION
 *   open("/dev/maxlat_trace")  EMFILE for one more than MAXLAT_TRACE_SESSIONS. Needs CAP_SYS_RAWIO.
 *   INFO                       what this kernel has
 *   START                      rings are made, probes attached; gives the size of a ring
 *   mmap(cpu * ring_bytes)     PROT_READ; the ring of that CPU. A mapping that can be written is refused, for good
 *   GET ... PUT                one packet of one CPU: its bytes are in that CPU's mapping, this reader's until PUT
 *   FLUSH                      packets that are open now are closed, so that GET gives them
 *   STOP                       no probe is inside any more when it returns; the rings stay to be read to their end
 *   close                      stops it; so does the death of the owner
 *
 * THE RINGS are those of the tracer (maxlat/ring/layout.h), written with local atomics (MAXLAT_RING_THREAD) by whatever
 * runs on the CPU, interrupts and NMIs included. What lies in the mapping may be read by the ring's own code
 * (maxlat/ring/walk.h); counts of lost events are in each ring's header.
 *
 * RECORDS have the event's id (MAXLAT_KERNEL_EVENTS) and the struct maxlat_kernel_NAME as their payload.
 *
 * ERRORS  EINVAL: a request of another size or with values that cannot be; EBUSY: not in this state; EAGAIN (GET):
 *   no packet; ENOENT (START): this kernel lacks one of the events; EPERM (mmap): writable.
 */
#ifndef MAXLAT_TRACE_KERNEL_ABI_H
#define MAXLAT_TRACE_KERNEL_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAXLAT_TRACE_DEVICE "/dev/maxlat_trace"
#define MAXLAT_TRACE_ABI_VERSION 1
#define MAXLAT_TRACE_SESSIONS 8
#define MAXLAT_TRACE_NAME_BYTES 16 /* of a task or an interrupt, as the kernel cuts them */

/* EVENT(id, name): id is a record's, and bit id - 1 of a mask of events. FIELD(type, name), TEXT(name). */
#define MAXLAT_KERNEL_EVENTS(EVENT) \
  EVENT(1, sched_switch)            \
  EVENT(2, sched_waking)            \
  EVENT(3, irq_handler_entry)       \
  EVENT(4, irq_handler_exit)        \
  EVENT(5, softirq_entry)           \
  EVENT(6, softirq_exit)            \
  EVENT(7, hrtimer_expire_entry)    \
  EVENT(8, hrtimer_expire_exit)

#define MAXLAT_KERNEL_EVENT_COUNT 8

#define MAXLAT_FIELDS_sched_switch(FIELD, TEXT) \
  TEXT(prev_comm)                               \
  FIELD(__s32, prev_tid)                        \
  FIELD(__s32, prev_prio)                       \
  FIELD(__s64, prev_state)                      \
  TEXT(next_comm)                               \
  FIELD(__s32, next_tid)                        \
  FIELD(__s32, next_prio)
#define MAXLAT_FIELDS_sched_waking(FIELD, TEXT) \
  TEXT(comm)                                    \
  FIELD(__s32, tid)                             \
  FIELD(__s32, prio)                            \
  FIELD(__s64, target_cpu)
#define MAXLAT_FIELDS_irq_handler_entry(FIELD, TEXT) \
  TEXT(name)                                         \
  FIELD(__s64, irq)
#define MAXLAT_FIELDS_irq_handler_exit(FIELD, TEXT) \
  FIELD(__s32, irq)                                 \
  FIELD(__s32, ret)
#define MAXLAT_FIELDS_softirq_entry(FIELD, TEXT) FIELD(__s64, vec)
#define MAXLAT_FIELDS_softirq_exit(FIELD, TEXT) FIELD(__s64, vec)
/* lateness_ns: how long after it was due, by the timer's own clock */
#define MAXLAT_FIELDS_hrtimer_expire_entry(FIELD, TEXT) \
  FIELD(__u64, hrtimer)                                 \
  FIELD(__u64, function)                                \
  FIELD(__s64, lateness_ns)
#define MAXLAT_FIELDS_hrtimer_expire_exit(FIELD, TEXT) FIELD(__u64, hrtimer)

#define MAXLAT_KERNEL_FIELD(type, name) type name;
#define MAXLAT_KERNEL_TEXT(name) char name[MAXLAT_TRACE_NAME_BYTES];
#define MAXLAT_KERNEL_RECORD(id, name)                                 \
  struct maxlat_kernel_##name {                                        \
    MAXLAT_FIELDS_##name(MAXLAT_KERNEL_FIELD, MAXLAT_KERNEL_TEXT)      \
  };
MAXLAT_KERNEL_EVENTS(MAXLAT_KERNEL_RECORD)
#undef MAXLAT_KERNEL_RECORD

#define MAXLAT_KERNEL_ID(id, name) MAXLAT_KERNEL_##name = id,
enum maxlat_kernel_event { MAXLAT_KERNEL_EVENTS(MAXLAT_KERNEL_ID) };
#undef MAXLAT_KERNEL_ID

struct maxlat_trace_info {
  __u32 size;
  __u32 abi_version;
  __u64 counter_khz;
  __u64 events;    /* that this kernel has, a bit each */
  __u32 cpu_limit; /* CPU numbers are below */
  __u32 unused;
};

struct maxlat_trace_start {
  __u32 size;
  __u32 sub_buffer_bits;
  __u32 ring_bits;
  __u32 overwrite;
  __u64 events;
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
#define MAXLAT_TRACE_FLUSH _IO('m', 0xb5)

#ifdef __cplusplus
}
#endif
#endif
