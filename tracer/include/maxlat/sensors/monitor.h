/* SPDX-License-Identifier: MIT */
/*
 * Sensors of running programs, read from C and from whatever can call C: values, histograms, events. Start here when
 * your monitor is not C++20, which has monitor.hpp. The programs that are read do not notice (sensor.h).
 *
 *   struct maxlat_monitor* monitor = maxlat_monitor_open("robot/server");
 *   if (monitor == NULL) ... maxlat_monitor_error()
 *   for (size_t i = 0; i < maxlat_monitor_count(monitor); ++i) {
 *     struct maxlat_monitored about;
 *     struct maxlat_monitor_value value;
 *     maxlat_monitor_about(monitor, i, &about);
 *     maxlat_monitor_read(monitor, i, &value);
 *   }
 *   maxlat_monitor_close(monitor);
 *
 * Link with maxlat-sensors (pkg-config maxlat-sensors). C11 or later, or C++.
 *
 * A MONITOR holds the sensors that exist when it is opened, even if their programs end or are killed later: then it
 * shows their last values. To see programs that begin later, open another monitor.
 * BOUNDS: each call takes a bounded number of steps, whatever the programs do. Two calls wait: opening a monitor waits
 * up to a second for a directory that is stopped; and the first maxlat_monitor_events_open() of a program calibrates
 * the counter for less than a tenth of a second if the kernel does not give its rate. Opening looks at the descriptors
 * of all processes.
 * TRUST: as monitor.hpp: a hostile program can show wrong values and nothing else.
 * STABILITY: from version 1.0 on structs and numbers do not change, and what is new gets calls of its own. A sensor of
 * a kind that this library does not know is MAXLAT_MONITOR_UNKNOWN.
 * ERRORS: calls that return int return one of enum maxlat_monitor_result, those that return a pointer null; then
 * maxlat_monitor_error() says in one line why.
 * THREADS: one at a time for a monitor and what was opened from it. Not for signal handlers.
 */
#ifndef MAXLAT_SENSORS_MONITOR_H
#define MAXLAT_SENSORS_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum maxlat_monitor_result {
  MAXLAT_MONITOR_OK = 0,
  MAXLAT_MONITOR_NONE = 1,      /* there is nothing now: no event, no such field */
  MAXLAT_MONITOR_AGAIN = 2,     /* a call's steps were in vain: call again */
  MAXLAT_MONITOR_NO_SUCH = -1,  /* no such sensor */
  MAXLAT_MONITOR_NOT_THIS = -2, /* a sensor of another kind */
  MAXLAT_MONITOR_FAILED = -3    /* the system's: no memory, no right */
};

/* Of this thread's last call that failed. Valid until its next. */
const char* maxlat_monitor_error(void);

/* ---- Which sensors there are ---- */

struct maxlat_monitor; /* a handle */

/*
 * Those that `pattern` names, as `maxlat sensors` takes it: PROGRAM#PID/GROUP/NAME with * ? [], from any of its parts
 * on or up to any of them. Null: all. No sensor at all is no error: maxlat_monitor_count() is 0.
 */
struct maxlat_monitor* maxlat_monitor_open(const char* pattern);
/* The same, and those of programs that have ended, which a directory keeps (maxlat/sensors/directory.hpp). */
struct maxlat_monitor* maxlat_monitor_open_ended(const char* pattern);
void maxlat_monitor_close(struct maxlat_monitor* monitor); /* null: nothing */
size_t maxlat_monitor_count(const struct maxlat_monitor* monitor);

enum maxlat_monitor_kind {
  MAXLAT_MONITOR_UNKNOWN = 0,
  MAXLAT_MONITOR_COUNTER = 1,
  MAXLAT_MONITOR_GAUGE = 2,
  MAXLAT_MONITOR_STAT = 3,
  MAXLAT_MONITOR_COUNTERS = 4,
  MAXLAT_MONITOR_HISTOGRAM = 5,
  MAXLAT_MONITOR_EVENTS = 6,
  MAXLAT_MONITOR_MAP = 7
};

/* Texts are the monitor's. */
struct maxlat_monitored {
  const char* program;
  const char* group;
  const char* name;
  const char* unit;
  const char* about;
  int32_t pid; /* 0: of several processes; `program` is "common" then */
  int32_t kind; /* enum maxlat_monitor_kind */
  bool shared;  /* all threads of the program post */
};
int maxlat_monitor_about(const struct maxlat_monitor* monitor, size_t sensor, struct maxlat_monitored* about);
/*
 * Its number in its group, from 0 on, in the order of the program's struct; or a negative maxlat_monitor_result. A
 * pattern takes it in place of the name: "robot#4711/server/#2". It is this sensor's as long as the group is: a program
 * that was built from another struct may give it to another.
 */
int64_t maxlat_monitor_id(const struct maxlat_monitor* monitor, size_t sensor);
/* Whether its program had ended when the monitor was opened. */
bool maxlat_monitor_ended(const struct maxlat_monitor* monitor, size_t sensor);

/* ---- Values ---- */

/* What a kind does not have is 0. */
struct maxlat_monitor_value {
  int32_t kind;
  bool settled;      /* the words of a stat belong together; true of the others */
  bool has_extremes; /* min, max and sum are known */
  uint64_t count;    /* posts. Of a counter its value, of counters the sum of all */
  int64_t value;     /* gauge; the last of a stat */
  int64_t min, max;  /* stat, histogram; the limits of a gauge. A histogram's are unsigned: cast them to uint64_t */
  uint64_t sum;      /* stat, as a signed number; histogram; modulo 2^64 */
  uint64_t outside;  /* histogram: values below its range and beyond it; counters: indices beyond the last; map: posts
                        that have no cell */
  uint64_t items;    /* buckets of a histogram, counters, slots of a list, cells of a map */
  uint64_t below;    /* histogram: those of `outside` that are below its range */
  uint64_t bytes;    /* list of events of any size: those of its ring of payloads */
  uint64_t refused;  /* of such a list: posts that were too large for it; they are in `count` */
  double deviation;  /* histogram: the standard deviation; negative: not known, as for all other kinds */
};
int maxlat_monitor_read(struct maxlat_monitor* monitor, size_t sensor, struct maxlat_monitor_value* value);

/*
 * The buckets of a histogram, or the counters, as they were at the last maxlat_monitor_read() of it: into arrays for
 * `room` of them; each may be null. `low` and `high` are both within a bucket. Of counters both are the index.
 * RETURNS: how many there are, or a negative maxlat_monitor_result.
 */
int64_t maxlat_monitor_items(const struct maxlat_monitor* monitor, size_t sensor, uint64_t* low, uint64_t* high,
                             uint64_t* count, size_t room);
/*
 * The cells of a map as they were at the last maxlat_monitor_read() of it, row by row (x first): how many values each
 * had, and their sum, modulo 2^64; into arrays for `room` of them; each may be null. RETURNS: as above.
 */
int64_t maxlat_monitor_cells(const struct maxlat_monitor* monitor, size_t sensor, uint64_t* count, uint64_t* sum,
                             size_t room);
struct maxlat_monitor_axis {
  const char* name; /* valid until the map is read again */
  const char* unit;
  uint64_t low, width, cells; /* cell i has values from low + i * width on */
};
/* Of a map, as it was read last. */
int maxlat_monitor_axes(const struct maxlat_monitor* monitor, size_t sensor, struct maxlat_monitor_axis* x,
                        struct maxlat_monitor_axis* y);
/* Of a counter. Null: it has none. Valid until it is read again. */
const char* maxlat_monitor_label(const struct maxlat_monitor* monitor, size_t sensor, size_t item);
/*
 * The first values beyond a histogram's range, as it was read last, each with the time that was posted with it (0:
 * none); into arrays for `room` of them; each may be null. RETURNS: how many there are, 16 at most, or as above.
 */
int64_t maxlat_monitor_outliers(const struct maxlat_monitor* monitor, size_t sensor, uint64_t* value, uint64_t* time,
                                size_t room);
/* Of a histogram, as it was read last; `part` from 0 to 1. */
int maxlat_monitor_quantile(const struct maxlat_monitor* monitor, size_t sensor, double part, uint64_t* value);

/* ---- Events ---- */

struct maxlat_monitor_events; /* a reader of one list, with a position of its own */

/*
 * From the oldest event that is still there on. An event whose post has not ended holds up those behind it for
 * `patience_ns` at the most. It outlives its monitor.
 */
struct maxlat_monitor_events* maxlat_monitor_events_open(const struct maxlat_monitor* monitor, size_t sensor,
                                                         uint64_t patience_ns);
void maxlat_monitor_events_close(struct maxlat_monitor_events* events); /* null: nothing */

struct maxlat_monitor_event {
  uint64_t position; /* posts of the list that had a place before it */
  uint64_t ticks;    /* of the machine's counter */
  int64_t time_ns;   /* of the wall clock, since 1970 */
  const char* provider;
  const char* name; /* null: of no type that the list has */
  int32_t cpu;      /* -1: not known */
  uint32_t fields;
  bool late; /* behind its turn */
};
/* RETURNS: MAXLAT_MONITOR_OK, _NONE or _AGAIN. The event is valid until the next call. */
int maxlat_monitor_events_next(struct maxlat_monitor_events* events, struct maxlat_monitor_event* event);

enum maxlat_monitor_field_kind {
  MAXLAT_MONITOR_UNSIGNED = 1,
  MAXLAT_MONITOR_SIGNED = 2,
  MAXLAT_MONITOR_FLOATING = 3,
  MAXLAT_MONITOR_TEXT = 4
};
struct maxlat_monitor_field {
  const char* name;
  const char* label; /* of an enumeration's value; null: it has none */
  const void* bytes; /* `count` elements of `bytes_each`, wherever they lie; of a text with a zero behind them */
  uint64_t count;    /* elements: 1, unless it is an array; bytes of a text */
  uint32_t bytes_each;
  int32_t kind;
  bool is_array; /* or a sequence */
};
/* Of the event that was read last. RETURNS: MAXLAT_MONITOR_NONE: it has no such field. */
int maxlat_monitor_events_field(const struct maxlat_monitor_events* events, uint32_t number,
                                struct maxlat_monitor_field* field);

/* Of the posts since the reader began: posts is the sum of all the others (event_reader.hpp). */
struct maxlat_monitor_books {
  uint64_t posts, delivered, late, overwritten, dropped, unfinished, open, pending;
};
int maxlat_monitor_events_books(const struct maxlat_monitor_events* events, struct maxlat_monitor_books* books);

/* ---- Events of all lists of a monitor, as one sequence ---- */

struct maxlat_monitor_merge; /* a handle: a reader of each list, and what waits for its turn */

/*
 * By time, then by CPU, list and position; from the oldest events that are still there on. An event is handed out when
 * it is `patience_ns` old, for until then another list may have an earlier one; what comes later still is late
 * (event_merge.hpp). It outlives its monitor.
 */
struct maxlat_monitor_merge* maxlat_monitor_merge_open(const struct maxlat_monitor* monitor, uint64_t patience_ns);
void maxlat_monitor_merge_close(struct maxlat_monitor_merge* merge); /* null: nothing */
/*
 * `sensor`: the number of its list in the monitor; may be null. RETURNS: MAXLAT_MONITOR_OK or _NONE. The event is valid
 * until the next call, also of maxlat_monitor_merge_finish(). A call for which nothing is ready looks at all lists.
 */
int maxlat_monitor_merge_next(struct maxlat_monitor_merge* merge, struct maxlat_monitor_event* event, size_t* sensor);
/* For the end: what there is now is handed out by the next calls, however young, and nothing that comes later. */
int maxlat_monitor_merge_finish(struct maxlat_monitor_merge* merge);
int maxlat_monitor_merge_field(const struct maxlat_monitor_merge* merge, uint32_t number,
                               struct maxlat_monitor_field* field);
/* Of one list, by its number in the monitor. What was merged, and not handed out by maxlat_monitor_merge_next() yet,
   counts as delivered; so does what was lost where a call failed for want of memory. */
int maxlat_monitor_merge_books(const struct maxlat_monitor_merge* merge, size_t sensor,
                               struct maxlat_monitor_books* books);

#ifdef __cplusplus
}
#endif

#endif
