/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The interface between the hardware-latency module (maxlat_hwlat.ko) and user space: one character device, four
 * ioctls, and one read-only mapping per CPU. This header is the specification; the module and `maxlat hwlat` include
 * it.
 *
 * LIFE OF A MEASUREMENT
 *   open("/dev/maxlat_hwlat")   one owner at a time: EBUSY for the second. Needs CAP_SYS_RAWIO.
 *   INFO                        what this kernel and machine offer, limits, and the size of a mapping
 *   CONFIGURE                   mode, width, window, threshold, duration, CPUs; memory is allocated here
 *   mmap(cpu * region_bytes)    PROT_READ, MAP_SHARED, region_bytes long, one for each configured CPU
 *   START ... STATUS ... STOP   STOP returns when no CPU has interrupts off any more (at most one width later)
 *   close                       stops whatever runs; so does the death of the owner
 *
 * TIME OF ONE CPU
 *
 *     |<-------------------- window -------------------->|
 *     |<------- width: interrupts off ------->|<- rest ->|
 *      r  rr  rr  rr  rr  rr     ...  rr  rr   interrupts on, the CPU is free
 *
 *   Counter reads come in pairs. The gap between the reads of a pair is the inner gap, the gap since the pair before is
 *   the outer gap. The histogram counts their sum, from each second read to the next, so that no tick of the width is
 *   outside all gaps: the histogram's sum *is* the exposure. A gap above the threshold becomes a record. The time that
 *   making a record takes (it reads the SMI counter) belongs to no gap and is counted as blind_ticks.
 *
 * LAYOUT OF A MAPPING (fixed-width, no pointers, never writable from user space)
 *
 *       0                    struct maxlat_hwlat_cpu
 *    MAXLAT_HWLAT_SECONDS_AT struct maxlat_hwlat_second[MAXLAT_HWLAT_SECONDS], a ring
 *    4096                    struct maxlat_histogram (base/histogram.h), in counter ticks
 *    MAXLAT_HWLAT_RECORDS_AT struct maxlat_hwlat_record[MAXLAT_HWLAT_RECORDS], a ring
 *
 * READING THE RING
 *   Records are numbered from 1 in `sequence`; number n is in slot (n - 1) % MAXLAT_HWLAT_RECORDS. The writer, a CPU
 *   with interrupts off, never waits: it overwrites the oldest. It stores 0 to `sequence` (a), then the members, then
 *   the number (b), then `records` in the CPU's header (c). A reader loads `records`, copies a slot, and takes the copy
 *   only if `sequence` was the number before and after. What was overwritten is known exactly: records - capacity.
 *
 *   The ring of seconds is read the same way: second n is in slot (n - 1) % MAXLAT_HWLAT_SECONDS if `number` is n.
 *
 * FAILURE  A dead or stopped reader costs the writer nothing. A hostile owner can stop the box for one width at a time,
 *   as root can anyway; it can not keep interrupts off longer than the limits in INFO, nor write to the module's
 *   memory.
 */
#ifndef MAXLAT_HWLAT_MODULE_ABI_H
#define MAXLAT_HWLAT_MODULE_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define MAXLAT_HWLAT_DEVICE "/dev/maxlat_hwlat"
#define MAXLAT_HWLAT_ABI_VERSION 1u

/* How the CPUs take turns. 0 is no mode, so that a forgotten member is refused. */
#define MAXLAT_HWLAT_MODE_PER_CPU 1u      /* every CPU in every window, each in its own thread */
#define MAXLAT_HWLAT_MODE_ROUND_ROBIN 2u  /* one CPU a window, in turn */
#define MAXLAT_HWLAT_MODE_STOP_MACHINE 3u /* every CPU in lockstep while all others are held: nothing else runs */

/* Limits, so that no setting can wedge a box. A tighter one may come from INFO. */
#define MAXLAT_HWLAT_MAX_WIDTH_NS 1000000000ull
#define MAXLAT_HWLAT_MAX_STOP_MACHINE_WIDTH_NS 100000000ull
#define MAXLAT_HWLAT_MIN_WIDTH_NS 10000ull
#define MAXLAT_HWLAT_MIN_REST_NS 100000ull      /* window - width */
#define MAXLAT_HWLAT_MAX_SHARE_PERMILLE 990u    /* width of window: interrupts are off at most 99 % of the time */
#define MAXLAT_HWLAT_MAX_WINDOW_NS 60000000000ull
#define MAXLAT_HWLAT_MAX_DURATION_NS (7ull * 24 * 3600 * 1000000000ull)

/* maxlat_hwlat_info.features */
#define MAXLAT_HWLAT_SMI_COUNT (1ull << 0)        /* MSR 0x34 answers: firmware can be told from the rest */
#define MAXLAT_HWLAT_NMI_COUNT (1ull << 1)        /* NMIs are counted per CPU */
#define MAXLAT_HWLAT_COUNTER_CONSTANT (1ull << 2) /* the kernel says that the counter's rate is constant */

struct maxlat_hwlat_info {
  __u32 abi_version;
  __u32 size; /* of this structure */
  __u64 features;
  __u64 counter_khz;
  __u64 ns_per_tick;  /* 32.32 fixed point: struct maxlat_counter_ratio of base/counter.h */
  __u64 ticks_per_ns; /* 32.32 fixed point */
  __u64 region_bytes; /* length and stride of the mappings */
  __u32 record_capacity;
  __u32 cpu_limit; /* CPU numbers are below this */
};

struct maxlat_hwlat_config {
  __u32 size; /* of this structure, for growth */
  __u32 mode;
  __u64 width_ns;
  __u64 window_ns;
  __u64 threshold_ns; /* a gap above it is recorded; never 0 */
  __u64 duration_ns;  /* wall time, never 0; sampling ends by itself */
  __u64 cpu_mask;     /* user address of a bit mask, little endian, bit n is CPU n */
  __u32 cpu_mask_bytes;
  __u32 reserved; /* 0 */
};

#define MAXLAT_HWLAT_IDLE 0u     /* nothing configured */
#define MAXLAT_HWLAT_READY 1u    /* configured, or stopped: START (again) or CONFIGURE */
#define MAXLAT_HWLAT_RUNNING 2u
#define MAXLAT_HWLAT_FINISHED 3u /* the duration is over; STOP before the next START */

struct maxlat_hwlat_status {
  __u32 size;
  __u32 state;
  __u32 cpus_configured;
  __u32 cpus_sampling; /* threads at work now; fewer than configured when a CPU went offline */
  __u64 started_ns;    /* CLOCK_MONOTONIC */
  __u64 ends_ns;
};

#define MAXLAT_HWLAT_IOC_INFO _IOR('M', 0x40, struct maxlat_hwlat_info)
#define MAXLAT_HWLAT_IOC_CONFIGURE _IOW('M', 0x41, struct maxlat_hwlat_config)
#define MAXLAT_HWLAT_IOC_START _IO('M', 0x42)
#define MAXLAT_HWLAT_IOC_STOP _IO('M', 0x43)
#define MAXLAT_HWLAT_IOC_STATUS _IOR('M', 0x44, struct maxlat_hwlat_status)

#define MAXLAT_HWLAT_CPU_MAGIC 0x4c48584du /* "MXHL" */

/* maxlat_hwlat_cpu.state */
#define MAXLAT_HWLAT_CPU_WAITING 1u
#define MAXLAT_HWLAT_CPU_SAMPLING 2u
#define MAXLAT_HWLAT_CPU_OFFLINE 3u
#define MAXLAT_HWLAT_CPU_FINISHED 4u

struct maxlat_hwlat_cpu {
  __u32 magic;
  __u32 abi_version;
  __u32 cpu;
  __u32 state;
  __u64 exposure_ticks;  /* watched: equal to the sum of the histogram when sampling has stopped */
  __u64 blind_ticks;     /* interrupts off, but not watched: making records */
  __u64 windows;         /* windows sampled */
  __u64 windows_missed;  /* mode per-CPU: windows that passed while the CPU was busy with something else */
  __u64 gaps;            /* gaps above the threshold = number of the newest record */
  __u64 max_inner_ticks; /* over all gaps above the threshold */
  __u64 max_outer_ticks;
  __u64 smi_watched; /* SMIs that fell into a width */
  __u64 nmi_watched;
  __u64 smi_first; /* SMI counter when sampling began on this CPU, and at the end of its last width */
  __u64 smi_last;
  __u64 first_ns; /* CLOCK_MONOTONIC of the first and the last width's beginning */
  __u64 last_ns;
  __u64 records; /* (c) number of the newest record; capacity is in INFO */
};

/* The largest gap of each second that began a width, whether above the threshold or not: the timeline. */
struct maxlat_hwlat_second {
  __u64 number; /* seconds since START, from 1; 0 while it is begun */
  __u64 max_ticks;
};

struct maxlat_hwlat_record {
  __u64 sequence; /* (a) (b) number of this record, 0 while it is written */
  __u64 time_ns;  /* CLOCK_MONOTONIC at the end of the gap */
  __u64 counter;  /* the counter there */
  __u64 inner_ns;
  __u64 outer_ns;
  __u64 smi_before; /* SMI counter at the last look: the record before it or the beginning of the width */
  __u64 smi_after;
  __u64 window; /* number of the width on this CPU, from 1 */
  __u32 nmi_before;
  __u32 nmi_after;
  __u32 cpu;
  __u32 reserved;
};

#define MAXLAT_HWLAT_SECONDS_AT 2048u
#define MAXLAT_HWLAT_SECONDS 128u
#define MAXLAT_HWLAT_HISTOGRAM_AT 4096u
#define MAXLAT_HWLAT_RECORDS_AT (4096u + 63u * 4096u) /* the histogram has 254464 bytes: 62.1 pages */
#define MAXLAT_HWLAT_RECORDS 2048u

#endif
