/* SPDX-License-Identifier: MIT */
/*
 * A periodic loop in C that traces each cycle.
 *
 *   cc trace_hello_c.c -o trace_hello_c $(pkg-config --cflags --libs maxlat-trace)
 *   maxlat trace record -o DIR -- ./trace_hello_c 1000
 *
 * With maxlat in a folder of its own: export PATH=~/maxlat/bin:$PATH PKG_CONFIG_PATH=~/maxlat/lib/pkgconfig
 */
#include <maxlat/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

MAXLAT_C_EVENT(hello_c, cycle, scalar(uint32_t, number), scalar(int64_t, late_ns), text(state, 16))

int main(int count, char** arguments) {
  const uint32_t cycles = (uint32_t)(count > 1 ? atoi(arguments[1]) : 1000);
  if (!maxlat_trace_prepare_thread()) fprintf(stderr, "trace_hello_c: the ring is not locked (ulimit -l)\n");
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (uint32_t cycle = 0; cycle < cycles; ++cycle) {
    next.tv_nsec += 1000000;
    if (next.tv_nsec >= 1000000000) {
      next.tv_nsec -= 1000000000;
      ++next.tv_sec;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t late_ns = (int64_t)(now.tv_sec - next.tv_sec) * 1000000000 + now.tv_nsec - next.tv_nsec;
    MAXLAT_C_TRACE(hello_c, cycle, cycle, late_ns, late_ns > 100000 ? "late" : "in time");
  }
  return 0;
}
