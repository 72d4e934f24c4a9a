/* SPDX-License-Identifier: MIT */
/*
 * The events of the comparison as LTTng-UST has them declared: a class for each number of fields, and of each class an
 * event for either channel. Read several times, by its macros.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER peers
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_events.h"

#if !defined(MAXLAT_BENCH_LTTNG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define MAXLAT_BENCH_LTTNG_EVENTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

/* clang-format off */
#define PEERS_ARGS_0 LTTNG_UST_TP_ARGS()
#define PEERS_ARGS_1 LTTNG_UST_TP_ARGS(uint64_t, a)
#define PEERS_ARGS_3 LTTNG_UST_TP_ARGS(uint64_t, a, uint64_t, b, uint64_t, c)
#define PEERS_ARGS_8 LTTNG_UST_TP_ARGS(uint64_t, a, uint64_t, b, uint64_t, c, uint64_t, d, uint64_t, e, uint64_t, f, \
                                       uint64_t, g, uint64_t, h)

LTTNG_UST_TRACEPOINT_EVENT_CLASS(peers, fields_0, PEERS_ARGS_0, LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT_CLASS(peers, fields_1, PEERS_ARGS_1,
  LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a)))
LTTNG_UST_TRACEPOINT_EVENT_CLASS(peers, fields_3, PEERS_ARGS_3,
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_integer(uint64_t, a, a) lttng_ust_field_integer(uint64_t, b, b)
    lttng_ust_field_integer(uint64_t, c, c)))
LTTNG_UST_TRACEPOINT_EVENT_CLASS(peers, fields_8, PEERS_ARGS_8,
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_integer(uint64_t, a, a) lttng_ust_field_integer(uint64_t, b, b)
    lttng_ust_field_integer(uint64_t, c, c) lttng_ust_field_integer(uint64_t, d, d)
    lttng_ust_field_integer(uint64_t, e, e) lttng_ust_field_integer(uint64_t, f, f)
    lttng_ust_field_integer(uint64_t, g, g) lttng_ust_field_integer(uint64_t, h, h)))

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(peers, fields_0, peers, writer_0, PEERS_ARGS_0)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(peers, fields_1, peers, writer_1, PEERS_ARGS_1)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(peers, fields_3, peers, writer_3, PEERS_ARGS_3)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(peers, fields_8, peers, writer_8, PEERS_ARGS_8)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(peers, fields_0, peers, timer_0, PEERS_ARGS_0)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(peers, fields_1, peers, timer_1, PEERS_ARGS_1)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(peers, fields_3, peers, timer_3, PEERS_ARGS_3)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(peers, fields_8, peers, timer_8, PEERS_ARGS_8)
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
