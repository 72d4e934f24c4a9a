/* SPDX-License-Identifier: MIT */
/*
 * usdt: SystemTap's static probes. With nothing attached each is one nop and a note in the ELF file; SystemTap,
 * bpftrace or perf can attach to them: `readelf -n usdt.so` shows where.
 */
#include <maxlat/npt/plugin.h>
#include <sys/sdt.h>

static double ns_per_tick;

static void start(void* state) {
  (void)state;
  DTRACE_PROBE(npt, start);
}

static void loop(void* state, uint64_t count, uint64_t ticks) {
  (void)state;
  const double duration = (double)ticks * ns_per_tick;
  DTRACE_PROBE3(npt, loop, count, ticks, duration);
}

static void stop(void* state) {
  (void)state;
  DTRACE_PROBE(npt, stop);
}

static int open_arm(const struct maxlat_npt_plugin_options* options, struct maxlat_npt_probe* probe, char* error,
                    size_t error_size) {
  (void)error;
  (void)error_size;
  ns_per_tick = options->ns_per_tick;
  *probe = (struct maxlat_npt_probe){NULL, start, loop, stop};
  return 0;
}

static const struct maxlat_npt_plugin plugin = {MAXLAT_NPT_PLUGIN_VERSION, open_arm, NULL, NULL};

const struct maxlat_npt_plugin* maxlat_npt_plugin_of_this_object(void) {
  return &plugin;
}
