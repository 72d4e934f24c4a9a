/* SPDX-License-Identifier: MIT */
/*
 * Calls a device with what no sane program sends: random commands, right commands with random or half-right arguments,
 * addresses that are not there, structures that end at an unmapped page, mappings of any size at any offset. The same
 * seed makes the same calls. Succeeds if the process lives to the end; the kernel's log is the real judge.
 *
 *   ioctl_fuzz hwlat|irqoff|trace SEED CALLS
 */
#include <errno.h>
#include <fcntl.h>
#include <maxlat/hwlat/module_abi.h>
#include <maxlat/npt/irqoff_abi.h>
#include <maxlat/trace/kernel/kernel_abi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t state;

static uint64_t random_number(void) { /* splitmix64 */
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static uint64_t below(uint64_t limit) {
  return random_number() % limit;
}

/* Numbers that code trips over, and plain random ones. */
static uint64_t odd_number(void) {
  static const uint64_t odd[] = {0,          1,          7,          64,          4095,      4096,
                                 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, INT64_MAX, UINT64_MAX};
  return below(3) ? odd[below(sizeof odd / sizeof *odd)] : random_number() >> below(64);
}

static const unsigned long hwlat_commands[] = {MAXLAT_HWLAT_IOC_INFO, MAXLAT_HWLAT_IOC_CONFIGURE,
                                               MAXLAT_HWLAT_IOC_START, MAXLAT_HWLAT_IOC_STOP, MAXLAT_HWLAT_IOC_STATUS};
static const unsigned long irqoff_commands[] = {MAXLAT_IRQOFF_IOC_GRANT, MAXLAT_IRQOFF_IOC_REVOKE,
                                                MAXLAT_IRQOFF_IOC_LOOP, MAXLAT_IRQOFF_IOC_VERSION};
static const unsigned long trace_commands[] = {MAXLAT_TRACE_INFO, MAXLAT_TRACE_START, MAXLAT_TRACE_STOP,
                                               MAXLAT_TRACE_GET,  MAXLAT_TRACE_PUT,   MAXLAT_TRACE_ADD};

static uint64_t masks[4];

/* Structures that would be right; short times and small rings, so that 10^5 calls end today. */
static void fill_hwlat(uint64_t* words) {
  struct maxlat_hwlat_config config = {.size = sizeof config,
                                       .mode = (uint32_t)below(5),
                                       .width_ns = 10000 + below(20000),
                                       .window_ns = 150000 + below(100000),
                                       .threshold_ns = 1 + below(100000),
                                       .duration_ns = 1 + below(300000),
                                       .cpu_mask = (uintptr_t)masks,
                                       .cpu_mask_bytes = (uint32_t)below(2) ? 8 : (uint32_t)odd_number()};
  masks[0] = below(2) ? 1 : odd_number();
  memcpy(words, &config, sizeof config);
}

static void fill_irqoff(uint64_t* words) {
  if (below(2)) {
    struct maxlat_irqoff_loop loop = {.size = sizeof loop,
                                      .flags = (uint32_t)below(3),
                                      .duration_ns = below(30000),
                                      .histogram = below(8) ? 0 : odd_number()};
    memcpy(words, &loop, sizeof loop);
  } else {
    struct maxlat_irqoff_grant grant = {.size = sizeof grant, .limit_ns = below(2000000000)};
    memcpy(words, &grant, sizeof grant);
  }
}

static void fill_trace_add(uint64_t* words) {
  static const char* const names[] = {"sched_waking", "sys_enter", "no_such_event", "schedule", "exc_int3", ""};
  struct maxlat_trace_add add = {
      .size = sizeof add, .kind = (uint32_t)below(3), .arguments = (uint32_t)below(14), .id = (uint32_t)odd_number()};
  strcpy(add.name, names[below(6)]);
  memcpy(words, &add, sizeof add);
}

static void fill_trace(uint64_t* words) {
  if (below(4) == 0) {
    fill_trace_add(words);
  } else if (below(2)) {
    struct maxlat_trace_start start = {.size = sizeof start,
                                       .sub_buffer_bits = 12 + (uint32_t)below(3),
                                       .ring_bits = 1 + (uint32_t)below(3),
                                       .overwrite = (uint32_t)below(2),
                                       .events = 1ull << below(50) | 1ull << below(50),
                                       .cpu_mask = (uintptr_t)masks,
                                       .cpu_mask_bytes = below(2) ? 0 : (uint32_t)odd_number(),
                                       .period_ms = (uint32_t)below(20)};
    masks[0] = below(2) ? 1 : odd_number();
    memcpy(words, &start, sizeof start);
  } else if (below(2)) {
    struct maxlat_trace_packet packet = {.size = sizeof packet, .cpu = below(4) ? 0 : (uint32_t)odd_number()};
    memcpy(words, &packet, sizeof packet);
  } else {
    struct maxlat_trace_put put = {.size = sizeof put, .cpu = below(4) ? 0 : (uint32_t)odd_number()};
    memcpy(words, &put, sizeof put);
  }
}

static const struct target {
  const char *name, *device;
  const unsigned long* commands;
  size_t command_count;
  void (*fill)(uint64_t* words);
  size_t mapping;    /* bytes of one that may succeed; 0: none */
  unsigned sessions; /* one in so many calls begins with another descriptor; 0: none does */
} targets[] = {
    {"hwlat", MAXLAT_HWLAT_DEVICE, hwlat_commands, 5, fill_hwlat,
     (MAXLAT_HWLAT_RECORDS_AT + MAXLAT_HWLAT_RECORDS * sizeof(struct maxlat_hwlat_record) + 4095) & ~4095ul, 0},
    {"irqoff", MAXLAT_IRQOFF_DEVICE, irqoff_commands, 4, fill_irqoff, 0, 0},
    {"trace", MAXLAT_TRACE_DEVICE, trace_commands, 6, fill_trace, 3 * 4096, 256},
};

static unsigned long command(const struct target* target) {
  switch (below(4)) {
    case 0:
      return random_number() & 0xffffffff;
    case 1:
      return _IOC(below(4), 'M', below(256), below(16384));
    default:
      return target->commands[below(target->command_count)];
  }
}

/* A structure that would be right but for one word in two. */
static void fill(uint64_t* words, size_t count, const struct target* target) {
  for (size_t i = 0; i < count; i++) words[i] = odd_number();
  if (below(4) == 0) return;
  target->fill(words);
  if (below(2)) words[below(8)] = odd_number();
}

static void map_something(int device, size_t region) {
  const size_t length = below(2) ? region : below(1 << 20) + 1;
  const off_t offset = (off_t)(below(2) ? 0 : (odd_number() & 0x7ffffffff000));
  char* at = mmap(NULL, length, (int)below(8), below(2) ? MAP_SHARED : MAP_PRIVATE, device, offset);
  if (at == MAP_FAILED) return;
  if (mprotect(at, length, PROT_READ | PROT_WRITE) == 0) {
    printf("a mapping became writable\n");
    exit(1);
  }
  munmap(at, length);
}

static int open_device(const struct target* target) {
  const int device = open(target->device, O_RDWR | O_NONBLOCK);
  if (device < 0) exit(1);
  return device;
}

int main(int argc, char** argv) {
  const struct target* target = targets;
  if (argc != 4) return 2;
  while (strcmp(argv[1], target->name) != 0)
    if (++target == targets + sizeof targets / sizeof *targets) return 2;
  const uint64_t calls = strtoull(argv[3], NULL, 10);
  uint64_t succeeded = 0;
  char* pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int device = open_device(target);
  if (munmap(pages + 4096, 4096) != 0) return 1;
  state = strtoull(argv[2], NULL, 10);
  for (uint64_t i = 0; i < calls; i++) {
    uint64_t words[32];
    void* argument = words;
    fill(words, 32, target);
    switch (below(6)) {
      case 0:
        argument = NULL;
        break;
      case 1:
        argument = (void*)odd_number();
        break;
      case 2:
        argument = pages + 4096 - below(256);
        break; /* ends at an unmapped page */
    }
    if (target->mapping > 0 && below(16) == 0) map_something(device, target->mapping);
    if (target->sessions > 0) {
      if (below(16) == 0 && read(device, argument, below(16)) > 0) succeeded++;
      if (below(target->sessions) == 0) {
        close(device);
        device = open_device(target);
      }
    }
    if (ioctl(device, command(target), argument) == 0) succeeded++;
  }
  printf("fuzz %s seed %s: %llu calls, %llu accepted\n", argv[1], argv[2], (unsigned long long)calls,
         (unsigned long long)succeeded);
  return 0;
}
