// SPDX-License-Identifier: MIT
// Reads its own sensors by the C interface, again and again, each time with another allocation that fails: every call
// ends with a result that says so, nothing is thrown out of it, and afterwards all works.
#include <maxlat/sensors/monitor.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <new>
#include <string>

MAXLAT_TRACE_EVENT(memory, wanted, (maxlat::trace::String<16>, text))

namespace {

struct Sensors {
  maxlat::sensors::Histogram<> histogram{"histogram", "ns"};
  maxlat::sensors::Counters<2> counters{"counters", {"a long label, of 27 letters", "b"}};
  maxlat::sensors::EventList<16, MAXLAT_LISTED_EVENT(memory, wanted)> events{"events"};
};
MAXLAT_SENSORS(no_memory, Sensors)

long left = -1;  // allocations until one fails; negative: none does

bool fails() {
  return left >= 0 && left-- == 0;
}

// Whatever is wrong ends the program.
void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s (%s)\n", what, maxlat_monitor_error());
  std::exit(1);
}

bool merges(const maxlat_monitor* monitor) {
  maxlat_monitor_merge* const merge = maxlat_monitor_merge_open(monitor, 0);
  if (merge == nullptr) return false;
  maxlat_monitor_event event;
  maxlat_monitor_field field;
  const bool well = maxlat_monitor_merge_finish(merge) == MAXLAT_MONITOR_OK &&
                    maxlat_monitor_merge_next(merge, &event, nullptr) == MAXLAT_MONITOR_OK &&
                    maxlat_monitor_merge_field(merge, 0, &field) == MAXLAT_MONITOR_OK;
  maxlat_monitor_merge_close(merge);
  return well;
}

// Calls on one monitor until one fails, for the next would say its own reason.
// RETURNS: whether none did.
bool read_all_of(maxlat_monitor* monitor) {
  if (maxlat_monitor_count(monitor) != 3) return false;
  maxlat_monitor_value value;
  for (std::size_t sensor = 0; sensor < 3; ++sensor)
    if (maxlat_monitor_read(monitor, sensor, &value) != MAXLAT_MONITOR_OK) return false;
  if (maxlat_monitor_items(monitor, 99, nullptr, nullptr, nullptr, 0) != MAXLAT_MONITOR_NO_SUCH) return false;
  maxlat_monitor_events* const events = maxlat_monitor_events_open(monitor, 2, 0);
  if (events == nullptr) return false;
  maxlat_monitor_event event;
  maxlat_monitor_field field;
  const bool well = maxlat_monitor_events_next(events, &event) == MAXLAT_MONITOR_OK &&
                    maxlat_monitor_events_field(events, 0, &field) == MAXLAT_MONITOR_OK;
  maxlat_monitor_events_close(events);
  return well && merges(monitor);
}

bool read_all(const char* pattern) {
  maxlat_monitor* const monitor = maxlat_monitor_open(pattern);
  if (monitor == nullptr) return false;
  const bool well = read_all_of(monitor);
  maxlat_monitor_close(monitor);
  return well;
}

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = fails() ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

int main() {
  MAXLAT_POST(no_memory->events, memory, wanted, "text");
  const std::string pattern = std::to_string(getpid());
  expect(read_all(pattern.c_str()), "it works while there is memory");
  bool any_failed = false;
  for (long number = 0;; number += 1 + number / 16) {
    left = number;
    const bool well = read_all(pattern.c_str());
    const bool was_short = left < 0;
    left = -1;
    expect(well || was_short, "only without memory a call fails");
    if (!well) {
      expect(std::strcmp(maxlat_monitor_error(), "no memory") == 0, "it says why");
      any_failed = true;
    }
    if (!was_short) break;
  }
  expect(any_failed, "calls fail without memory");
  expect(read_all(pattern.c_str()), "it works again");
  return 0;
}
