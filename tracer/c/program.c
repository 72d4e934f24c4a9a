/* SPDX-License-Identifier: MIT */
/*
 * A program of C that traces each kind of field, for tests/tracer/c_interface.py; as C++17, too.
 *
 *   c_program            counts in a session of its own, and says so
 *   c_program EVENTS     traces c:scalars that often, and the others once
 */
#include <maxlat/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

MAXLAT_C_EVENT(c, scalars, scalar(uint64_t, n), scalar(int8_t, small), scalar(double, half), scalar(bool, odd),
               hex(uint32_t, flags), hex(int8_t, mask))
MAXLAT_C_EVENT(c, texts, text(whole, 32), text(cut, 4), text(none, 8))
MAXLAT_C_EVENT(c, many, array(float, three, 3), sequence(int16_t, some, 4), sequence(uint8_t, none, 4))
/* What the metadata adds of its own are other names than these: x_length for the sequence, and padding. */
MAXLAT_C_EVENT(c, names, sequence(int16_t, x, 4), scalar(uint32_t, x_length), scalar(uint8_t, padding))
MAXLAT_C_EVENT_LEVEL(c, bare, MAXLAT_TRACE_WARNING)

static void trace_all(uint64_t events) {
  const float three[3] = {1.5f, -2.0f, 3.25f};
  const int16_t values[6] = {-1, 2, -3, 4, -5, 6};
  for (uint64_t n = 0; n < events; ++n) {
    MAXLAT_C_TRACE(c, scalars, n, (int8_t)-5, 0.5, n % 2 == 1, 0xabcu, (int8_t)-2);
  }
  MAXLAT_C_TRACE(c, texts, "whole text", "cut here", NULL);
  MAXLAT_C_TRACE(c, many, three, values, 6, NULL, 9);
  MAXLAT_C_TRACE(c, names, values, 2, 7, 8);
  MAXLAT_C_TRACE(c, bare);
}

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, maxlat_trace_error());
  return 1;
}

static int count_in_own_session(void) {
  struct maxlat_trace_session* session = maxlat_trace_session_create("c");
  if (session == NULL) return failed("create");
  if (maxlat_trace_session_create("c") != NULL || strstr(maxlat_trace_error(), "there is a session c already") == NULL)
    return failed("a second session of that name");
  struct maxlat_trace_channel channel;
  memset(&channel, 0, sizeof(channel));
  if (maxlat_trace_session_add_channel(session, &channel) != 0) return failed("add_channel");
  if (maxlat_trace_session_enable(session, "channel0", "c:*", MAXLAT_TRACE_DEBUG) != 0) return failed("enable");
  if (maxlat_trace_session_disable(session, "channel0", "c:bare") != 0) return failed("disable");
  if (maxlat_trace_session_start(session) != 0) return failed("start");
  maxlat_trace_prepare_thread();
  if (!MAXLAT_C_TRACE_ENABLED(c, many) || MAXLAT_C_TRACE_ENABLED(c, bare)) return failed("enabled");
  trace_all(100);
  maxlat_trace_flush();
  if (maxlat_trace_session_stop(session) != 0) return failed("stop");
  struct maxlat_trace_books books;
  maxlat_trace_session_books(session, &books);
  printf("%llu recorded, %llu lost\n", (unsigned long long)books.recorded,
         (unsigned long long)(books.lost_full + books.lost_wrap + books.lost_big + books.lost_no_ring));
  if (maxlat_trace_session_destroy(session) != 0) return failed("destroy");
  maxlat_trace_session_close(session);
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 2) return count_in_own_session();
  trace_all(strtoull(argv[1], NULL, 10));
  return 0;
}
