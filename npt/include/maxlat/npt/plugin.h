/* SPDX-License-Identifier: MIT */
/*
 * What an arm of npt offers to the loop, and how an arm in a shared object is asked for it.
 *
 * WHY SHARED OBJECTS
 *   A tracer's library brings constructors, threads and thread-local storage into every process that is linked to it.
 *   An arm that was not chosen must not disturb the ones that were, so it is not even loaded.
 *
 * WHY FUNCTIONS, NOT INLINED TRACEPOINTS
 *   Every arm but "none" is called through the same pointer, from the same machine code of the loop. So two arms differ
 *   in what is called and in nothing else. The call itself (1 to 2 ns) is in each arm's figures; the arm delay:0ns,
 *   which does nothing, shows it alone.
 *
 * LIFE, all calls from npt
 *   open() on the main thread, which keeps off the measured CPUs (threads it starts inherit that), before memory is
 *   locked; prepare_thread() on each measuring thread, pinned and real-time; then there, in the loop: start(), loop()
 *   for each event, stop(); close() on the main thread after all of them have ended. An object is not unloaded:
 *   tracers' libraries cannot be.
 */
#ifndef MAXLAT_NPT_ARMS_PLUGIN_H
#define MAXLAT_NPT_ARMS_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAXLAT_NPT_PLUGIN_VERSION 1

/* The tracepoints npt:start, npt:loop(count, ticks, duration) and npt:stop. duration is ticks in nanoseconds, as a
 * floating point number: the arm multiplies, as a traced program would. */
struct maxlat_npt_probe {
  void* state; /* handed back */
  void (*start)(void* state);
  void (*loop)(void* state, uint64_t count, uint64_t ticks);
  void (*stop)(void* state);
};

struct maxlat_npt_plugin_options {
  double ns_per_tick;
  const char* folder; /* for what the arm writes */
};

struct maxlat_npt_plugin {
  uint32_t version; /* MAXLAT_NPT_PLUGIN_VERSION */
  /* 0 and the probe, or an errno value and one line in `error`. */
  int (*open)(const struct maxlat_npt_plugin_options* options, struct maxlat_npt_probe* probe, char* error,
              size_t error_size);
  void (*prepare_thread)(void* state); /* may be null */
  /* Everything is written when it returns. The events that the arm knows to have lost. May be null: none known. */
  uint64_t (*close)(void* state);
};

/* The one symbol of the object: MAXLAT_NPT_PLUGIN_SYMBOL. The object defines it; npt looks it up. */
__attribute__((visibility("default"))) const struct maxlat_npt_plugin* maxlat_npt_plugin_of_this_object(void);
typedef const struct maxlat_npt_plugin* (*maxlat_npt_plugin_entry)(void);
#define MAXLAT_NPT_PLUGIN_SYMBOL "maxlat_npt_plugin_of_this_object"

#ifdef __cplusplus
}
#endif
#endif
