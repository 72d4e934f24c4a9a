/* SPDX-License-Identifier: MIT */
/*
 * A map: values over two others, such as the time of a copy over width and height of the rectangle. Each cell has two
 * layers, how many values there were and their sum; so a reader has the mean, and nothing is divided when it is posted.
 * Values outside of either axis are counted as that, and nothing else happens.
 *
 * NESTED POSTS: as histogram.h. In the middle of a post a cell's sum is behind its count by one value.
 *
 * COST of a post: 14 instructions with axes whose widths are powers of two.
 * SOURCE: Pohlack 2010, sections 3.2.3.1 and 5.1.1.1, the two-dimensional histogram of two layers.
 */
#ifndef MAXLAT_SENSORS_MAP_H
#define MAXLAT_SENSORS_MAP_H

#include <maxlat/sensors/linear.h>

#define MAXLAT_MAP_VERSION 1u
#define MAXLAT_MAP_MAX_CELLS (1u << 20)

/* What an axis is, for people. */
struct maxlat_map_axis {
  uint64_t low, width;
  char name[MAXLAT_SENSOR_NAME];
  char unit[MAXLAT_SENSOR_UNIT];
};
struct maxlat_map_cell {
  uint64_t count, sum; /* modulo 2^64 */
};

/* The sensor's shape is {cells of x, cells of y}. Behind this stand the cells, row by row, and zeros up to a cache
   line. The axes are constant. */
struct maxlat_map {
  struct maxlat_sensor sensor;
  uint64_t outside;
  uint64_t unused[5];
  struct maxlat_map_axis x, y;
};
MAXLAT_STATIC_ASSERT(sizeof(struct maxlat_map) == 384, "layout");

MAXLAT_ARITHMETIC uint64_t maxlat_map_size(uint64_t cells) {
  return sizeof(struct maxlat_map) + (cells * sizeof(struct maxlat_map_cell) + 63) / 64 * 64;
}

/* `cells` are those behind the map. */
MAXLAT_ALWAYS_INLINE void maxlat_map_post(enum maxlat_sensor_writers writers, struct maxlat_map* map,
                                          struct maxlat_map_cell* cells, struct maxlat_linear_axis x_axis,
                                          struct maxlat_linear_axis y_axis, uint64_t x, uint64_t y, uint64_t value) {
  const uint64_t column = maxlat_linear_index(x_axis, x), row = maxlat_linear_index(y_axis, y);
  if (MAXLAT_UNLIKELY(column >= x_axis.buckets || row >= y_axis.buckets)) {
    maxlat_sensor_add(writers, &map->outside, 1);
    return;
  }
  struct maxlat_map_cell* const cell = &cells[row * x_axis.buckets + column];
  maxlat_sensor_add(writers, &cell->count, 1);
  maxlat_sensor_add(writers, &cell->sum, value);
}

#endif
