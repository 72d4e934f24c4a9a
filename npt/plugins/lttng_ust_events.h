/* SPDX-License-Identifier: MIT */
/* The tracepoints of npt as LTTng-UST has them declared. Read several times, by its macros. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER npt
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_ust_events.h"

#if !defined(MAXLAT_NPT_ARMS_LTTNG_UST_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define MAXLAT_NPT_ARMS_LTTNG_UST_EVENTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(npt, start, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())

LTTNG_UST_TRACEPOINT_EVENT(npt, loop, LTTNG_UST_TP_ARGS(uint64_t, count, uint64_t, ticks, double, duration),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, count, count)
                                                   lttng_ust_field_integer(uint64_t, ticks, ticks)
                                                       lttng_ust_field_float(double, duration, duration)))

LTTNG_UST_TRACEPOINT_EVENT(npt, stop, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())

#endif

#include <lttng/tracepoint-event.h>
