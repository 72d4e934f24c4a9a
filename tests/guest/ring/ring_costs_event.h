/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The tracepoint whose event is weighed: three words, in tracefs as events/maxlat_ring_test/maxlat_ring_cost. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM maxlat_ring_test

#if !defined(RING_COSTS_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define RING_COSTS_EVENT_H

#include <linux/tracepoint.h>

TRACE_EVENT(maxlat_ring_cost,
	TP_PROTO(u64 first, u64 second, u64 third),
	TP_ARGS(first, second, third),
	TP_STRUCT__entry(
		__field(u64, first)
		__field(u64, second)
		__field(u64, third)
	),
	TP_fast_assign(
		__entry->first = first;
		__entry->second = second;
		__entry->third = third;
	),
	TP_printk("%llu %llu %llu", __entry->first, __entry->second, __entry->third)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ring_costs_event
#include <trace/define_trace.h>
