/* SPDX-License-Identifier: MIT */
/*
 * Declarations made by hand, as another language makes them, that no compiler could refuse: each is told in one line,
 * and its event stays disabled. For tests/tracer/c_interface.py.
 */
#include <maxlat/trace.h>
#include <stdio.h>

#define SCALAR MAXLAT_TRACE_KIND_SCALAR

static struct declared {
  const char* name;
  uint32_t level, fields;
  struct maxlat_trace_field field[2];
} declared[] = {
    {"sound",
     MAXLAT_TRACE_INFO,
     2,
     {{"a", SCALAR, 4, true, false, 0}, {"b", MAXLAT_TRACE_KIND_TEXT, 1, false, false, 9}}},
    {"level", 8, 0, {{0, 0, 0, false, false, 0}}},
    {"many", MAXLAT_TRACE_INFO, 33, {{"a", SCALAR, 4, true, false, 0}}},
    {"wide", MAXLAT_TRACE_INFO, 1, {{"a", SCALAR, 16, true, false, 0}}},
    {"three", MAXLAT_TRACE_INFO, 1, {{"a", MAXLAT_TRACE_KIND_ARRAY, 3, false, false, 4}}},
    {"half", MAXLAT_TRACE_INFO, 1, {{"a", SCALAR, 2, false, true, 0}}},
    {"hex", MAXLAT_TRACE_INFO, 1, {{"a", MAXLAT_TRACE_KIND_HEX, 8, false, true, 0}}},
    {"empty", MAXLAT_TRACE_INFO, 1, {{"a", MAXLAT_TRACE_KIND_TEXT, 1, false, false, 0}}},
    {"named", MAXLAT_TRACE_INFO, 2, {{"a", SCALAR, 4, true, false, 0}, {"b c", SCALAR, 4, true, false, 0}}},
    {"digit", MAXLAT_TRACE_INFO, 1, {{"1a", SCALAR, 4, true, false, 0}}},
    {"nameless", MAXLAT_TRACE_INFO, 1, {{NULL, SCALAR, 4, true, false, 0}}},
    {"double", MAXLAT_TRACE_INFO, 2, {{"a", SCALAR, 4, true, false, 0}, {"a", SCALAR, 4, true, false, 0}}},
};
enum { COUNT = sizeof(declared) / sizeof(declared[0]) };
static struct maxlat_trace_event event[COUNT];

int main(void) {
  struct maxlat_trace_session* session = maxlat_trace_session_create("refused");
  struct maxlat_trace_channel channel = {.name = NULL};
  int enabled = 0;
  if (session == NULL || maxlat_trace_session_add_channel(session, &channel) != 0 ||
      maxlat_trace_session_enable(session, "channel0", "*:*", MAXLAT_TRACE_DEBUG) != 0 ||
      maxlat_trace_session_start(session) != 0)
    return 1;
  for (int i = 0; i < COUNT; ++i) {
    const struct maxlat_trace_declaration declaration = {"refused", declared[i].name, declared[i].level,
                                                         declared[i].fields, declared[i].field};
    maxlat_trace_register(&event[i], &declaration);
    maxlat_trace_register(&event[i], &declaration); /* as another source file does */
    if (event[i].wanted != 0) enabled += 1;
  }
  printf("%d enabled\n", enabled);
  for (int i = 0; i < COUNT; ++i) maxlat_trace_unregister(&event[i]);
  return 0;
}
