/* SPDX-License-Identifier: MIT */
/* Declares twice:event, as twice_other_program.c does differently, and an event whose names make one with its; both
 * declare twice:same. */
#include <maxlat/trace.h>
#include <stdio.h>

#include "test_twice.h"

MAXLAT_C_EVENT(twice, event, scalar(uint32_t, a), scalar(uint32_t, b))
MAXLAT_C_EVENT(clash_a, b, scalar(uint32_t, a))

int main(void) {
  struct maxlat_trace_session* session = maxlat_trace_session_create("twice");
  struct maxlat_trace_channel channel = {.name = NULL};
  struct maxlat_trace_books books;
  if (session == NULL || maxlat_trace_session_add_channel(session, &channel) != 0 ||
      maxlat_trace_session_enable(session, "channel0", "*:*", MAXLAT_TRACE_DEBUG) != 0 ||
      maxlat_trace_session_start(session) != 0)
    return 1;
  MAXLAT_C_TRACE(twice, event, 1, 2);
  MAXLAT_C_TRACE(twice, same, 3);
  MAXLAT_C_TRACE(clash_a, b, 4);
  trace_from_other();
  if (maxlat_trace_session_stop(session) != 0) return 1;
  maxlat_trace_session_books(session, &books);
  printf("%llu recorded\n", (unsigned long long)books.recorded);
  return 0;
}
