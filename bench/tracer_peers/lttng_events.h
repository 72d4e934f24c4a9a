/* SPDX-License-Identifier: MIT */
/* The events of the comparison as LTTng-UST has them declared. Read several times, by its macros. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER peers
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_events.h"

#if !defined(MAXLAT_BENCH_LTTNG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define MAXLAT_BENCH_LTTNG_EVENTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(peers, writer_0, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(peers, writer_1, LTTNG_UST_TP_ARGS(uint64_t, a),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a)))
LTTNG_UST_TRACEPOINT_EVENT(peers, writer_3, LTTNG_UST_TP_ARGS(uint64_t, a, uint64_t, b, uint64_t, c),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a)
                                                   lttng_ust_field_integer(uint64_t, b, b)
                                                       lttng_ust_field_integer(uint64_t, c, c)))
LTTNG_UST_TRACEPOINT_EVENT(
    peers, writer_8,
    LTTNG_UST_TP_ARGS(uint64_t, a, uint64_t, b, uint64_t, c, uint64_t, d, uint64_t, e, uint64_t, f, uint64_t, g,
                      uint64_t, h),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a) lttng_ust_field_integer(uint64_t, b, b)
                            lttng_ust_field_integer(uint64_t, c, c) lttng_ust_field_integer(uint64_t, d, d)
                                lttng_ust_field_integer(uint64_t, e, e) lttng_ust_field_integer(uint64_t, f, f)
                                    lttng_ust_field_integer(uint64_t, g, g) lttng_ust_field_integer(uint64_t, h, h)))
LTTNG_UST_TRACEPOINT_EVENT(peers, timer_0, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(peers, timer_1, LTTNG_UST_TP_ARGS(uint64_t, a),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a)))
LTTNG_UST_TRACEPOINT_EVENT(peers, timer_3, LTTNG_UST_TP_ARGS(uint64_t, a, uint64_t, b, uint64_t, c),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a)
                                                   lttng_ust_field_integer(uint64_t, b, b)
                                                       lttng_ust_field_integer(uint64_t, c, c)))
LTTNG_UST_TRACEPOINT_EVENT(
    peers, timer_8,
    LTTNG_UST_TP_ARGS(uint64_t, a, uint64_t, b, uint64_t, c, uint64_t, d, uint64_t, e, uint64_t, f, uint64_t, g,
                      uint64_t, h),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a) lttng_ust_field_integer(uint64_t, b, b)
                            lttng_ust_field_integer(uint64_t, c, c) lttng_ust_field_integer(uint64_t, d, d)
                                lttng_ust_field_integer(uint64_t, e, e) lttng_ust_field_integer(uint64_t, f, f)
                                    lttng_ust_field_integer(uint64_t, g, g) lttng_ust_field_integer(uint64_t, h, h)))

#endif

#include <lttng/tracepoint-event.h>
