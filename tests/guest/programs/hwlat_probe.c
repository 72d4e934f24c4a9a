/* SPDX-License-Identifier: MIT */
/*
 * The module's interface, bare: runs one measurement and prints everything as lines that a shell test can read.
 *
 *   hwlat_probe [width=NS] [window=NS] [threshold=NS] [duration=NS] [mode=1..3] [cpus=HEXMASK] [uid=N]
 *
 *   cpu N state S windows W missed M exposure_ns E blind_ns B gaps G smi_watched X nmi_watched Y smi_total Z wall_ns T
 *   histogram cpu N total C sum_ticks S exposure_ticks E min M max X
 *   record cpu N sequence S counter C inner I outer O smi A B nmi A B
 *
 * SIGINT ends it before its time, with results. uid=N: as that user.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <maxlat/base/counter.h>
#include <maxlat/base/histogram.h>
#include <maxlat/hwlat/module_abi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static void on_interrupt(int number) {
  (void)number;
  interrupted = 1;
}

static void die(const char* what) {
  fprintf(stderr, "hwlat_probe: %s: %s\n", what, strerror(errno));
  exit(1);
}

static uint64_t option(int argc, char** argv, const char* name, uint64_t otherwise, int base) {
  const size_t length = strlen(name);
  uint64_t value = otherwise;
  for (int i = 1; i < argc; i++) /* the last one counts */
    if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
      value = strtoull(argv[i] + length + 1, NULL, base);
  return value;
}

static void print_records(const char* region, const struct maxlat_hwlat_cpu* header) {
  const struct maxlat_hwlat_record* ring = (const void*)(region + MAXLAT_HWLAT_RECORDS_AT);
  const uint64_t newest = header->records;
  for (uint64_t n = newest > MAXLAT_HWLAT_RECORDS ? newest - MAXLAT_HWLAT_RECORDS + 1 : 1; n <= newest; n++) {
    const struct maxlat_hwlat_record* r = &ring[(n - 1) % MAXLAT_HWLAT_RECORDS];
    printf("record cpu %u sequence %llu counter %llu inner %llu outer %llu smi %llu %llu nmi %u %u\n", r->cpu,
           r->sequence, r->counter, r->inner_ns, r->outer_ns, r->smi_before, r->smi_after, r->nmi_before, r->nmi_after);
  }
}

static void print_cpu(const char* region, struct maxlat_counter_ratio ratio) {
  const struct maxlat_hwlat_cpu* header = (const void*)region;
  const struct maxlat_histogram* histogram = (const void*)(region + MAXLAT_HWLAT_HISTOGRAM_AT);
  if (header->magic != MAXLAT_HWLAT_CPU_MAGIC || !maxlat_histogram_valid(histogram)) {
    fprintf(stderr, "hwlat_probe: not a region of the module\n");
    exit(1);
  }
  printf("cpu %u state %u windows %llu missed %llu exposure_ns %" PRIu64 " blind_ns %" PRIu64
         " gaps %llu smi_watched %llu nmi_watched %llu smi_total %llu wall_ns %llu\n",
         header->cpu, header->state, header->windows, header->windows_missed,
         maxlat_ticks_to_ns(ratio, header->exposure_ticks), maxlat_ticks_to_ns(ratio, header->blind_ticks),
         header->gaps, header->smi_watched, header->nmi_watched, header->smi_last - header->smi_first,
         header->last_ns - header->first_ns);
  printf("histogram cpu %u total %" PRIu64 " sum_ticks %" PRIu64 " exposure_ticks %llu min %" PRIu64 " max %" PRIu64
         "\n",
         header->cpu, maxlat_histogram_total(histogram), histogram->sum, header->exposure_ticks, histogram->min,
         histogram->max);
  print_records(region, header);
}

/* All CPUs begin their windows together, a while after the start. */
static bool first_window_is_over(const char* const* regions) {
  for (unsigned cpu = 0; cpu < 64; cpu++)
    if (regions[cpu] && ((const volatile struct maxlat_hwlat_cpu*)(const void*)regions[cpu])->windows == 0)
      return false;
  return true;
}

int main(int argc, char** argv) {
  struct maxlat_hwlat_info info;
  struct maxlat_hwlat_status status;
  uint64_t mask = option(argc, argv, "cpus", 1, 16);
  struct maxlat_hwlat_config config = {
      .size = sizeof config,
      .mode = (uint32_t)option(argc, argv, "mode", MAXLAT_HWLAT_MODE_PER_CPU, 10),
      .width_ns = option(argc, argv, "width", 50000000, 10),
      .window_ns = option(argc, argv, "window", 100000000, 10),
      .threshold_ns = option(argc, argv, "threshold", 1000, 10),
      .duration_ns = option(argc, argv, "duration", 1000000000, 10),
      .cpu_mask = (uintptr_t)&mask,
      .cpu_mask_bytes = sizeof mask,
  };
  const char* regions[64] = {0};
  const uid_t uid = (uid_t)option(argc, argv, "uid", 0, 10);
  if (uid != 0 && setuid(uid) != 0) die("setuid");
  signal(SIGINT, on_interrupt);
  const int device = open(MAXLAT_HWLAT_DEVICE, O_RDWR | O_CLOEXEC);
  if (device < 0) die(MAXLAT_HWLAT_DEVICE);
  if (ioctl(device, MAXLAT_HWLAT_IOC_INFO, &info)) die("INFO");
  if (ioctl(device, MAXLAT_HWLAT_IOC_CONFIGURE, &config)) die("CONFIGURE");
  for (unsigned cpu = 0; cpu < 64; cpu++) {
    if (!(mask >> cpu & 1)) continue;
    void* region = mmap(NULL, info.region_bytes, PROT_READ, MAP_SHARED, device, (off_t)(cpu * info.region_bytes));
    if (region == MAP_FAILED) die("mmap");
    regions[cpu] = region;
  }
  if (ioctl(device, MAXLAT_HWLAT_IOC_START)) die("START");
  printf("started khz %llu features %llx\n", info.counter_khz, info.features);
  fflush(stdout);
  bool sampled = false;
  do {
    usleep(10000);
    if (ioctl(device, MAXLAT_HWLAT_IOC_STATUS, &status)) die("STATUS");
    if (!sampled && first_window_is_over(regions)) {
      sampled = true;
      puts("sampled a window");
      fflush(stdout);
    }
  } while (status.state == MAXLAT_HWLAT_RUNNING && !interrupted);
  if (ioctl(device, MAXLAT_HWLAT_IOC_STOP)) die("STOP");
  for (unsigned cpu = 0; cpu < 64; cpu++)
    if (regions[cpu]) print_cpu(regions[cpu], (struct maxlat_counter_ratio){info.ns_per_tick, info.ticks_per_ns});
  return 0;
}
