/* SPDX-License-Identifier: MIT */
/*
 * Calls a device with what no sane program sends: random commands, right commands with random or half-right arguments,
 * addresses that are not there, structures that end at an unmapped page, mappings of any size at any offset. The same
 * seed makes the same calls. Succeeds if the process lives to the end; the kernel's log is the real judge.
 *
 *   ioctl_fuzz hwlat|irqoff SEED CALLS
 */
#include <errno.h>
#include <fcntl.h>
#include <maxlat/hwlat/module_abi.h>
#include <maxlat/npt/irqoff_abi.h>
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

static unsigned long command(int hwlat) {
  switch (below(4)) {
    case 0:
      return random_number() & 0xffffffff;
    case 1:
      return _IOC(below(4), 'M', below(256), below(16384));
    default:
      return hwlat ? hwlat_commands[below(5)] : irqoff_commands[below(4)];
  }
}

static uint64_t masks[4];

/* A structure that would be right but for one word in two; short times, so that 10^5 calls end today. */
static void fill(uint64_t* words, size_t count, int hwlat) {
  for (size_t i = 0; i < count; i++) words[i] = odd_number();
  if (below(4) == 0) return;
  if (hwlat) {
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
  } else if (below(2)) {
    struct maxlat_irqoff_loop loop = {.size = sizeof loop,
                                      .flags = (uint32_t)below(3),
                                      .duration_ns = below(30000),
                                      .histogram = below(8) ? 0 : odd_number()};
    memcpy(words, &loop, sizeof loop);
  } else {
    struct maxlat_irqoff_grant grant = {.size = sizeof grant, .limit_ns = below(2000000000)};
    memcpy(words, &grant, sizeof grant);
  }
  if (below(2)) words[below(8)] = odd_number();
}

static void map_something(int device) {
  const size_t region =
      (MAXLAT_HWLAT_RECORDS_AT + MAXLAT_HWLAT_RECORDS * sizeof(struct maxlat_hwlat_record) + 4095) & ~4095ul;
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

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int hwlat = strcmp(argv[1], "hwlat") == 0;
  const uint64_t calls = strtoull(argv[3], NULL, 10);
  uint64_t succeeded = 0;
  char* pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int device = open(hwlat ? MAXLAT_HWLAT_DEVICE : MAXLAT_IRQOFF_DEVICE, O_RDWR);
  if (device < 0 || munmap(pages + 4096, 4096) != 0) return 1;
  state = strtoull(argv[2], NULL, 10);
  for (uint64_t i = 0; i < calls; i++) {
    uint64_t words[32];
    void* argument = words;
    fill(words, 32, hwlat);
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
    if (hwlat && below(16) == 0) map_something(device);
    if (ioctl(device, command(hwlat), argument) == 0) succeeded++;
  }
  printf("fuzz %s seed %s: %llu calls, %llu accepted\n", argv[1], argv[2], (unsigned long long)calls,
         (unsigned long long)succeeded);
  return 0;
}
