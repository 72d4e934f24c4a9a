/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* A tracepoint of a module, with as many arguments as a raw event may have, of all sizes that one may have. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM maxlat_raw

#if !defined(RAW_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define RAW_EVENT_H

#include <linux/tracepoint.h>

#ifndef RAW_EVENT_PAIR
#define RAW_EVENT_PAIR
struct raw_event_pair {
	u32 first, second;
};
#endif

TRACE_EVENT(maxlat_twelve,
	TP_PROTO(bool a0, s8 a1, u8 a2, s16 a3, u16 a4, int a5, unsigned int a6, long a7, u64 a8, const char *a9,
		 struct raw_event_pair a10, u8 a11),
	TP_ARGS(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11),
	TP_STRUCT__entry(
		__field(u64, a8)
	),
	TP_fast_assign(
		__entry->a8 = a8;
	),
	TP_printk("%llu", __entry->a8)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE raw_event
#include <trace/define_trace.h>
