/* SPDX-License-Identifier: MIT */
/*
 * lttng-ust: the tracepoints alone. The session daemon and the session, which must be there before this object is
 * loaded (its constructor registers with them), are arms/arm_lttng_ust.cpp's.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include <errno.h>
#include <maxlat/npt/plugin.h>
#include <stdio.h>
#include <time.h>

#include "lttng_ust_events.h"

static double ns_per_tick;

static void start(void* state) {
  (void)state;
  lttng_ust_tracepoint(npt, start);
}

static void loop(void* state, uint64_t count, uint64_t ticks) {
  (void)state;
  lttng_ust_tracepoint(npt, loop, count, ticks, (double)ticks * ns_per_tick);
}

static void stop(void* state) {
  (void)state;
  lttng_ust_tracepoint(npt, stop);
}

/* The session daemon enables the events while this object is being loaded, or a little later. */
static int wait_until_enabled(void) {
  const struct timespec pause = {0, 1000000};
  int turns;
  for (turns = 0; turns < 5000; ++turns) {
    if (lttng_ust_tracepoint_enabled(npt, start) && lttng_ust_tracepoint_enabled(npt, loop) &&
        lttng_ust_tracepoint_enabled(npt, stop))
      return 0;
    nanosleep(&pause, NULL);
  }
  return ETIMEDOUT;
}

static int open_arm(const struct maxlat_npt_plugin_options* options, struct maxlat_npt_probe* probe, char* error,
                    size_t error_size) {
  const int failure = wait_until_enabled();
  if (failure != 0) {
    snprintf(error, error_size, "the session daemon did not enable the events within 5 s");
    return failure;
  }
  ns_per_tick = options->ns_per_tick;
  *probe = (struct maxlat_npt_probe){NULL, start, loop, stop};
  return 0;
}

static const struct maxlat_npt_plugin plugin = {MAXLAT_NPT_PLUGIN_VERSION, open_arm, NULL, NULL};

const struct maxlat_npt_plugin* maxlat_npt_plugin_of_this_object(void) {
  return &plugin;
}
