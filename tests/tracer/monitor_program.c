/* SPDX-License-Identifier: MIT */
/* monitor_program PID: reads the sensors of that sensor_program, which was told to post, to move and to say, by the C
   interface (maxlat/sensors/monitor.h), and says what is not as it should be. */
#include <maxlat/sensors/monitor.h>
#include <stdio.h>
#include <string.h>

static int wrong;

#define EXPECT(what)                                                     \
  do {                                                                   \
    if (!(what)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
      ++wrong;                                                           \
    }                                                                    \
  } while (0)

static size_t number_of(const struct maxlat_monitor* monitor, const char* group, const char* name) {
  struct maxlat_monitored about;
  for (size_t i = 0; i < maxlat_monitor_count(monitor); ++i)
    if (maxlat_monitor_about(monitor, i, &about) == MAXLAT_MONITOR_OK && strcmp(about.group, group) == 0 &&
        strcmp(about.name, name) == 0)
      return i;
  return (size_t)-1;
}

static struct maxlat_monitor_value value_in(struct maxlat_monitor* monitor, const char* group, const char* name) {
  struct maxlat_monitor_value value;
  memset(&value, 0, sizeof value);
  EXPECT(maxlat_monitor_read(monitor, number_of(monitor, group, name), &value) == MAXLAT_MONITOR_OK);
  return value;
}

static struct maxlat_monitor_value value_of(struct maxlat_monitor* monitor, const char* name) {
  return value_in(monitor, "server", name);
}

static void check_values(struct maxlat_monitor* monitor) {
  EXPECT(maxlat_monitor_count(monitor) == 11);
  struct maxlat_monitored about;
  EXPECT(maxlat_monitor_about(monitor, number_of(monitor, "server", "latency"), &about) == MAXLAT_MONITOR_OK);
  EXPECT(strcmp(about.unit, "ns") == 0 && strcmp(about.about, "from request to answer") == 0);
  EXPECT(about.kind == MAXLAT_MONITOR_HISTOGRAM && !about.shared && about.pid > 0);
  EXPECT(value_of(monitor, "requests").count == 3);
  const struct maxlat_monitor_value queue = value_of(monitor, "queue");
  EXPECT(queue.value == 2 && queue.min == 0 && queue.max == 3);
  const struct maxlat_monitor_value stat = value_of(monitor, "temperature");
  EXPECT(stat.count == 3 && stat.value == 7 && stat.min == -5 && stat.max == 10 && stat.sum == 12 && stat.settled);
  const size_t answers = number_of(monitor, "server", "answers");
  uint64_t counts[2] = {9, 9};
  EXPECT(value_of(monitor, "answers").count == 6 && value_of(monitor, "answers").outside == 1);
  EXPECT(maxlat_monitor_items(monitor, answers, NULL, NULL, counts, 2) == 3);
  EXPECT(counts[0] == 1 && counts[1] == 0);
  EXPECT(strcmp(maxlat_monitor_label(monitor, answers, 0), "yes") == 0);
  EXPECT(maxlat_monitor_label(monitor, answers, 3) == NULL);
}

static void check_histogram(struct maxlat_monitor* monitor) {
  static uint64_t low[8192], high[8192], count[8192];
  const size_t latency = number_of(monitor, "server", "latency");
  const struct maxlat_monitor_value value = value_of(monitor, "latency");
  EXPECT(value.count == 1001 && value.outside == 1 && value.has_extremes && value.min == 1000);
  EXPECT(value.max == (int64_t)1 << 40);
  const int64_t buckets = maxlat_monitor_items(monitor, latency, low, high, count, 8192);
  EXPECT(buckets > 0 && buckets <= 8192 && (uint64_t)buckets == value.items);
  uint64_t all = 0;
  for (int64_t i = 0; i < buckets; ++i) {
    all += count[i];
    EXPECT(low[i] <= high[i] && (i == 0 || low[i] == high[i - 1] + 1));
  }
  EXPECT(all == 1000);
  uint64_t median = 0;
  EXPECT(maxlat_monitor_quantile(monitor, latency, 0.5, &median) == MAXLAT_MONITOR_OK);
  EXPECT(median >= 501000 && median < 560000);
  uint64_t outlier = 0, time = 9;
  EXPECT(maxlat_monitor_outliers(monitor, latency, &outlier, &time, 1) == 1 && outlier == (uint64_t)1 << 40 && time == 0);
  EXPECT(value.deviation > 3e10 && value.deviation < 4e10); /* of 1000 small ones and 2^40 */
}

/* Values from 18 to 60, in cells of 5 from 20 to 59. */
static void check_linear_histogram(struct maxlat_monitor* monitor) {
  const size_t voltage = number_of(monitor, "other", "voltage");
  const struct maxlat_monitor_value value = value_in(monitor, "other", "voltage");
  EXPECT(value.kind == MAXLAT_MONITOR_HISTOGRAM && value.count == 43 && value.items == 8);
  EXPECT(value.outside == 3 && value.below == 2);
  uint64_t low[8], high[8], count[8];
  EXPECT(maxlat_monitor_items(monitor, voltage, low, high, count, 8) == 8);
  for (int i = 0; i < 8; ++i) EXPECT(low[i] == 20u + 5u * (unsigned)i && high[i] == low[i] + 4 && count[i] == 5);
  uint64_t median = 0, least = 0;
  EXPECT(maxlat_monitor_quantile(monitor, voltage, 0.5, &median) == MAXLAT_MONITOR_OK && median == 39);
  EXPECT(maxlat_monitor_quantile(monitor, voltage, 0, &least) == MAXLAT_MONITOR_OK && least == 19);
}

static void check_map(struct maxlat_monitor* monitor) {
  struct maxlat_monitored about;
  const size_t copies = number_of(monitor, "other", "copies");
  EXPECT(maxlat_monitor_about(monitor, copies, &about) == MAXLAT_MONITOR_OK && about.kind == MAXLAT_MONITOR_MAP);
  struct maxlat_monitor_axis x, y;
  EXPECT(maxlat_monitor_axes(monitor, copies, &x, &y) == MAXLAT_MONITOR_NOT_THIS);
  const struct maxlat_monitor_value value = value_in(monitor, "other", "copies");
  EXPECT(value.kind == MAXLAT_MONITOR_MAP && value.count == 4 && value.outside == 1 && value.items == 6);
  EXPECT(maxlat_monitor_axes(monitor, copies, &x, &y) == MAXLAT_MONITOR_OK);
  EXPECT(strcmp(x.name, "width") == 0 && strcmp(x.unit, "px") == 0 && x.low == 0 && x.width == 16 && x.cells == 3);
  EXPECT(strcmp(y.name, "height") == 0 && y.low == 100 && y.width == 10 && y.cells == 2);
  uint64_t count[6], sum[6];
  EXPECT(maxlat_monitor_cells(monitor, copies, count, sum, 6) == 6);
  EXPECT(count[1] == 2 && sum[1] == 400 && count[5] == 1 && sum[5] == 1000 && count[0] == 0);
  EXPECT(maxlat_monitor_items(monitor, copies, NULL, NULL, NULL, 0) == MAXLAT_MONITOR_NOT_THIS);
}

static void check_events(const struct maxlat_monitor* monitor) {
  struct maxlat_monitor_events* const events =
      maxlat_monitor_events_open(monitor, number_of(monitor, "robot", "moves"), 0);
  EXPECT(events != NULL);
  if (events == NULL) return;
  struct maxlat_monitor_event event;
  struct maxlat_monitor_field field;
  uint64_t number = 0;
  for (; maxlat_monitor_events_next(events, &event) == MAXLAT_MONITOR_OK; ++number) {
    EXPECT(event.position == number && event.fields == 2 && event.cpu >= 0 && !event.late);
    EXPECT(strcmp(event.provider, "robot") == 0 && strcmp(event.name, number == 0 ? "mode" : "step") == 0);
    EXPECT(maxlat_monitor_events_field(events, 0, &field) == MAXLAT_MONITOR_OK);
    if (number == 0) {
      EXPECT(field.label != NULL && strcmp(field.label, "automatic") == 0);
      EXPECT(maxlat_monitor_events_field(events, 1, &field) == MAXLAT_MONITOR_OK);
      EXPECT(field.kind == MAXLAT_MONITOR_TEXT && strcmp(field.bytes, "a \"start\"\x1b[1m") == 0);
    } else {
      uint32_t axis = 0;
      EXPECT(field.kind == MAXLAT_MONITOR_UNSIGNED && field.bytes_each == sizeof axis && field.count == 1);
      memcpy(&axis, field.bytes, sizeof axis);
      EXPECT(axis == number && strcmp(field.name, "axis") == 0);
    }
    EXPECT(maxlat_monitor_events_field(events, 2, &field) == MAXLAT_MONITOR_NONE);
  }
  struct maxlat_monitor_books books;
  EXPECT(maxlat_monitor_events_books(events, &books) == MAXLAT_MONITOR_OK);
  EXPECT(number == 13 && books.posts == 13 && books.delivered == 13 && books.pending == 0);
  maxlat_monitor_events_close(events);
}

static void check_events_of_any_size(struct maxlat_monitor* monitor) {
  const struct maxlat_monitor_value log = value_in(monitor, "robot", "log");
  EXPECT(log.count == 6 && log.items == 16 && log.bytes == 256 && log.refused == 1 && log.deviation < 0);
}

/* Who moved first and then spoke. */
static void check_merge(const struct maxlat_monitor* monitor) {
  struct maxlat_monitor_merge* const merge = maxlat_monitor_merge_open(monitor, 0);
  EXPECT(merge != NULL);
  if (merge == NULL) return;
  const size_t moves = number_of(monitor, "robot", "moves"), log = number_of(monitor, "robot", "log");
  struct maxlat_monitor_event event;
  struct maxlat_monitor_field field;
  uint64_t last = 0, moved = 0, said = 0;
  size_t sensor = 0;
  EXPECT(maxlat_monitor_merge_finish(merge) == MAXLAT_MONITOR_OK);
  while (maxlat_monitor_merge_next(merge, &event, &sensor) == MAXLAT_MONITOR_OK) {
    EXPECT(event.ticks >= last && !event.late && (sensor == moves || sensor == log));
    last = event.ticks;
    EXPECT(maxlat_monitor_merge_field(merge, 0, &field) == MAXLAT_MONITOR_OK);
    EXPECT(strcmp(field.name, sensor == log ? "text" : moved == 0 ? "mode" : "axis") == 0);
    EXPECT(sensor == log ? moved == 13 : said == 0);
    ++*(sensor == log ? &said : &moved);
  }
  EXPECT(maxlat_monitor_merge_field(merge, 0, &field) == MAXLAT_MONITOR_NONE);
  struct maxlat_monitor_books books;
  EXPECT(maxlat_monitor_merge_books(merge, moves, &books) == MAXLAT_MONITOR_OK);
  EXPECT(moved == 13 && books.posts == 13 && books.delivered == 13);
  EXPECT(maxlat_monitor_merge_books(merge, log, &books) == MAXLAT_MONITOR_OK);
  EXPECT(said > 0 && books.delivered == said && books.posts == said + books.overwritten + books.dropped);
  EXPECT(maxlat_monitor_merge_books(merge, number_of(monitor, "server", "queue"), &books) == MAXLAT_MONITOR_NOT_THIS);
  maxlat_monitor_merge_close(merge);
  maxlat_monitor_merge_close(NULL);
}

static void check_mistakes(struct maxlat_monitor* monitor) {
  struct maxlat_monitor_value value;
  struct maxlat_monitored about;
  EXPECT(maxlat_monitor_read(monitor, 11, &value) == MAXLAT_MONITOR_NO_SUCH);
  EXPECT(strcmp(maxlat_monitor_error(), "there is no sensor 11, but 11") == 0);
  EXPECT(maxlat_monitor_about(monitor, 11, &about) == MAXLAT_MONITOR_NO_SUCH);
  const size_t queue = number_of(monitor, "server", "queue");
  EXPECT(maxlat_monitor_events_open(monitor, queue, 0) == NULL);
  EXPECT(strcmp(maxlat_monitor_error(), "queue is not a list of events") == 0);
  EXPECT(maxlat_monitor_items(monitor, queue, NULL, NULL, NULL, 0) == MAXLAT_MONITOR_NOT_THIS);
  EXPECT(maxlat_monitor_cells(monitor, queue, NULL, NULL, 0) == MAXLAT_MONITOR_NOT_THIS);
  EXPECT(maxlat_monitor_outliers(monitor, queue, NULL, NULL, 0) == MAXLAT_MONITOR_NOT_THIS);
  EXPECT(maxlat_monitor_label(monitor, queue, 0) == NULL);
  EXPECT(maxlat_monitor_id(monitor, queue) == 1 && maxlat_monitor_id(monitor, 11) == MAXLAT_MONITOR_NO_SUCH);
  EXPECT(!maxlat_monitor_ended(monitor, queue) && !maxlat_monitor_ended(monitor, 11));
  struct maxlat_monitor* const none = maxlat_monitor_open("no/such");
  EXPECT(none != NULL && maxlat_monitor_count(none) == 0);
  maxlat_monitor_close(none);
  maxlat_monitor_close(NULL);
  maxlat_monitor_events_close(NULL);
}

int main(int argc, char** argv) {
  struct maxlat_monitor* const monitor = maxlat_monitor_open(argc > 1 ? argv[1] : NULL);
  if (monitor == NULL) {
    fprintf(stderr, "%s\n", maxlat_monitor_error());
    return 1;
  }
  check_values(monitor);
  check_histogram(monitor);
  check_linear_histogram(monitor);
  check_map(monitor);
  check_events(monitor);
  check_events_of_any_size(monitor);
  check_merge(monitor);
  check_mistakes(monitor);
  maxlat_monitor_close(monitor);
  return wrong == 0 ? 0 : 1;
}
