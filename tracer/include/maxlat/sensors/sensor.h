/* SPDX-License-Identifier: MIT */
/*
 * A sensor: a few words that one program posts to and any number of monitors read, at their own pace, while the program
 * runs on without noticing (Pohlack 2010, section 3.2). This header says what all kinds have in common; each kind has a
 * header of its own.
 *
 *   sensor    head (192 bytes: this header), then the kind's own words; its size is a multiple of 64
 *   group     sensors side by side in whole pages, without a gap: a struct whose members are sensors (group.hpp)
 *
 * CONSTANT-INITIALISED. A sensor is complete when the program is loaded: no constructor need have run, and it may be
 * posted to at any time. Until its group is published it lies in private memory, and posts go there. To publish is to
 * put shared memory in the place of those pages, at the same address, with what they held. So a post is the same few
 * instructions before and after: no branch, no pointer to follow.
 *
 * WHO WRITES. The head is constant. The rest is written by the sensor's writers alone:
 *
 *   MAXLAT_SENSOR_THREAD   one thread and its signal handlers, which nest. No instruction is locked: on x86-64 a
 *                          read-modify-write is one instruction, and a signal comes between instructions.
 *   MAXLAT_SENSOR_SHARED   any threads of the program: locked instructions.
 *
 * Monitors have the memory read-only and cannot get it otherwise: it is sealed (F_SEAL_FUTURE_WRITE). They tell the
 * program nothing, and no post waits for anything.
 *
 * TRUST. Monitors copy the head once and check the copy (sensors/sensor_object.hpp); what changes, they load word by
 * word, and it selects nothing that was not checked.
 * COST: each kind's header has its instructions; sensors/cost_test.cpp counts them.
 */
#ifndef MAXLAT_SENSORS_SENSOR_H
#define MAXLAT_SENSORS_SENSOR_H

#include <maxlat/base/platform.h>

#define MAXLAT_SENSOR_MAGIC 0x4e534e53u /* "SNSN" */
#define MAXLAT_SENSOR_ALIGNMENT 64u     /* a cache line: neighbours cost each other nothing */
#define MAXLAT_SENSOR_NAME 40u          /* bytes, the zero included */
#define MAXLAT_SENSOR_UNIT 16u
#define MAXLAT_SENSOR_ABOUT 96u

/* A group's pages are exchanged whole, so this is a multiple of the kernel's. */
#if defined(__aarch64__)
#define MAXLAT_SENSOR_PAGE 65536u
#else
#define MAXLAT_SENSOR_PAGE 4096u
#endif

/* Numbers from here on are for kinds of other programs. None of maxlat's will ever have one of them. */
#define MAXLAT_SENSOR_YOURS 0x8000u
/* Numbers are never used again. They are kinds of objects in a container, too (shm/container_layout.h has 1 to 3). */
enum maxlat_sensor_kind {
  MAXLAT_SENSOR_COUNTER = 16,
  MAXLAT_SENSOR_GAUGE = 17,
  MAXLAT_SENSOR_STAT = 18,
  MAXLAT_SENSOR_COUNTERS = 19,
  MAXLAT_SENSOR_HISTOGRAM = 20,
  MAXLAT_SENSOR_EVENTS = 21,
  MAXLAT_SENSOR_VAR_EVENTS = 22,
  MAXLAT_SENSOR_LINEAR = 23,
  MAXLAT_SENSOR_MAP = 24,
  MAXLAT_SENSOR_STRIPED = 25,
  MAXLAT_SENSOR_TRACE = 26
};

enum maxlat_sensor_writers { MAXLAT_SENSOR_THREAD = 0, MAXLAT_SENSOR_SHARED = 1 };

struct maxlat_sensor {
  uint32_t magic;
  uint16_t kind;
  uint16_t layout_version; /* of the kind */
  uint64_t size;           /* of the whole sensor */
  uint32_t writers;
  uint32_t reserved_0;
  uint64_t shape[2]; /* what the kind's header says */
  char name[MAXLAT_SENSOR_NAME];
  char unit[MAXLAT_SENSOR_UNIT]; /* "ns", "bytes"; "ticks:2096026", of a counter's kHz; empty: things are counted */
  char about[MAXLAT_SENSOR_ABOUT];
} __attribute__((aligned(64)));

MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_sensor) == 192, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_sensor, size) == 8, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_sensor, shape) == 24, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_sensor, name) == 40, "layout");
MAXLAT_STATIC_ASSERT(offsetof(struct maxlat_sensor, about) == 96, "layout");

#endif
