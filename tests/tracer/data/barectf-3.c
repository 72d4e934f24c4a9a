// SPDX-License-Identifier: MIT
// Makes barectf-3/ with what barectf generates (README.md). For a while no packet may begin, so that events are lost.
#include <stdint.h>
#include <stdio.h>

#include "barectf.h"

struct place {
  void* stream;
  FILE* file;
  int is_motor;
  int packets;
};

static uint64_t now = 1000;
static int full = 0;
static struct barectf_motor_ctx motor;
static struct barectf_plain_ctx plain;

static uint64_t ticks(void* data) {
  (void)data;
  return now += 7;
}
static int is_full(void* data) {
  (void)data;
  return full;
}
static void open_packet(void* data) {
  struct place* place = data;
  if (place->is_motor)
    barectf_motor_open_packet(&motor, (uint8_t)(place->packets++ % 100));
  else
    barectf_plain_open_packet(&plain);
}
static void close_packet(void* data) {
  struct place* place = data;
  if (place->is_motor)
    barectf_motor_close_packet(&motor);
  else
    barectf_plain_close_packet(&plain);
  fwrite(barectf_packet_buf(place->stream), barectf_packet_buf_size(place->stream), 1, place->file);
}

int main(void) {
  static uint8_t motor_bytes[256], plain_bytes[160];
  struct place of_motor = {&motor, fopen("motor", "w"), 1, 0}, of_plain = {&plain, fopen("plain", "w"), 0, 0};
  if (!of_motor.file || !of_plain.file) return 1;
  const struct barectf_platform_callbacks calls = {ticks, is_full, open_packet, close_packet};
  barectf_init(&motor, motor_bytes, sizeof(motor_bytes), calls, &of_motor);
  barectf_init(&plain, plain_bytes, sizeof(plain_bytes), calls, &of_plain);
  open_packet(&of_motor);
  open_packet(&of_plain);
  static const char* const texts[] = {"-", "homing", "\"no\" \\ yes", "\xc3\xbc"};
  for (int i = 0; i < 40; ++i) {
    full = i >= 20 && i < 26;
    barectf_motor_trace_step(&motor, (uint16_t)(i * 12), (uint8_t)(i % 8), (int16_t)(i * 100 - 2000),
                             i % 9 == 8 ? 31 : (uint8_t)(i % 8), i / 8.0);
    const float currents[] = {0.5f, -1.25f, (float)i};
    const int16_t samples[] = {-1, 2047, -2048, (int16_t)i};
    if (i % 3 == 0)
      barectf_motor_trace_message(&motor, 511, (uint16_t)(i * 1000), texts[i / 3 % 4], currents, (uint32_t)(i % 5), samples);
    if (i % 2 == 0) barectf_plain_trace_beat(&plain, (uint64_t)i << 40 | 1);
  }
  full = 0;
  if (barectf_packet_is_open(&motor) && !barectf_packet_is_empty(&motor)) close_packet(&of_motor);
  if (barectf_packet_is_open(&plain) && !barectf_packet_is_empty(&plain)) close_packet(&of_plain);
  return fclose(of_motor.file) || fclose(of_plain.file);
}
