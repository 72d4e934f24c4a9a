/* SPDX-License-Identifier: MIT */
/*
 * A striped sensor: as many sensors of one kind and shape as threads may post at once, side by side. Each thread posts
 * to its own, without a locked instruction and without taking a cache line from others; a monitor adds them up.
 *
 *   striped   head (its shape is {stripes, bytes of one}), then the stripes: whole sensors, each with a head that says
 *             the same kind and shape
 *   stripe 0  SHARED: for threads that have no stripe of their own
 *   stripe n  of the thread that has number n now: THREAD
 *
 * WHAT CAN BE ADDED UP: counters, arrays of counters, histograms of both forms. What has one last value cannot.
 * A monitor reads one stripe after the other: together they are no moment, as little as the words of one are.
 * SOURCE: Pohlack 2010, section 3.2.4: sensors that each processor has for itself; here each thread.
 */
#ifndef MAXLAT_SENSORS_STRIPED_H
#define MAXLAT_SENSORS_STRIPED_H

#include <maxlat/sensors/sensor.h>

#define MAXLAT_STRIPED_VERSION 1u
#define MAXLAT_STRIPED_MAX 1025u /* stripes: of 1024 threads, and the shared one */

#endif
