// SPDX-License-Identifier: MIT
// C's calls of the monitors' side: events, of one list or of all of a monitor.
#include <maxlat/base/counter.h>

#include <deque>
#include <maxlat/base/moment.hpp>
#include <maxlat/sensors/event_merge.hpp>
#include <maxlat/sensors/event_reader.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c/monitor_handle.hpp"

namespace sensors = maxlat::sensors;
namespace trace = maxlat::trace;
using maxlat::sensors::c::failed;
using maxlat::sensors::c::no_such_sensor;
using maxlat::sensors::c::thrown;

namespace {

// The label of a value; null: there is none.
const char* label_of(const trace::FieldValue& value, std::string& kept) {
  if (value.field->kind != trace::FieldKind::enumeration) return nullptr;
  for (const trace::Label& label : value.field->labels) {
    if (label.value != value.enumerator()) continue;
    kept = label.name;
    return kept.c_str();
  }
  return nullptr;
}

int32_t kind_of(const trace::Field& field) {
  if (field.kind == trace::FieldKind::string) return MAXLAT_MONITOR_TEXT;
  if (field.kind == trace::FieldKind::floating || field.is_float) return MAXLAT_MONITOR_FLOATING;
  return field.is_signed ? MAXLAT_MONITOR_SIGNED : MAXLAT_MONITOR_UNSIGNED;
}

// An event in the words of C, and what those point to.
class EventInC {
 public:
  void clear() {
    values_.clear();
    names_.clear();
    labels_.clear();
  }

  // `read` and its payload stay as they are until the next.
  void take(const sensors::ListedEvent& read, const sensors::EventClock& clock, maxlat_monitor_event* event) {
    clear();
    *event = {};
    event->position = read.position;
    event->ticks = read.ticks;
    event->time_ns = clock.realtime_ns(read.ticks);
    event->cpu = read.cpu ? static_cast<int32_t>(*read.cpu) : -1;
    event->late = read.late;
    if (read.type == nullptr) return;
    provider_ = read.type->provider;
    name_ = read.type->name;
    event->provider = provider_.c_str();
    event->name = name_.c_str();
    trace::FieldValues values(read.type->fields, read.payload);
    for (trace::FieldValue value; values.next(value);) {
      values_.push_back(value);
      names_.emplace_back(value.field->name);
      labels_.emplace_back();
    }
    event->fields = static_cast<uint32_t>(values_.size());
  }

  int field(uint32_t number, maxlat_monitor_field* field) const {
    if (number >= values_.size()) return MAXLAT_MONITOR_NONE;
    const trace::FieldValue& value = values_[number];
    const trace::FieldKind kind = value.field->kind;
    *field = {names_[number].c_str(),
              label_of(value, labels_[number]),
              value.bytes,
              value.count,
              kind == trace::FieldKind::string ? 1u : value.field->bytes,
              kind_of(*value.field),
              kind == trace::FieldKind::array || kind == trace::FieldKind::sequence};
    return MAXLAT_MONITOR_OK;
  }

 private:
  std::string provider_, name_;
  std::vector<trace::FieldValue> values_;
  std::vector<std::string> names_;
  mutable std::vector<std::string> labels_;  // as fields are asked for
};

maxlat_monitor_books books_in_c(const sensors::EventBooks& books) {
  return {books.posts,   books.delivered,  books.late, books.overwritten,
          books.dropped, books.unfinished, books.open, books.pending};
}

}  // namespace

// ---- One list ----

struct maxlat_monitor_events {
  sensors::EventReader reader;
  sensors::EventClock clock{};
  sensors::ListedEvent event{};
  EventInC in_c{};
};

struct maxlat_monitor_events* maxlat_monitor_events_open(const struct maxlat_monitor* monitor, size_t sensor,
                                                         uint64_t patience_ns) try {
  if (sensor >= monitor->sensors.size()) {
    no_such_sensor(*monitor, sensor);
    return nullptr;
  }
  const maxlat_monitor::Sensor& one = monitor->sensors[sensor];
  if (!sensors::has_events(one.facts->kind)) {
    failed(MAXLAT_MONITOR_NOT_THIS, one.facts->name + " is not a list of events");
    return nullptr;
  }
  return new maxlat_monitor_events{.reader = one.group->events(*one.facts, patience_ns)};
} catch (...) {
  thrown();
  return nullptr;
}

void maxlat_monitor_events_close(struct maxlat_monitor_events* events) {
  delete events;
}

int maxlat_monitor_events_next(struct maxlat_monitor_events* events, struct maxlat_monitor_event* event) try {
  const sensors::EventStep step = events->reader.next(events->event, maxlat::base::monotonic_ns());
  events->in_c.clear();
  if (step == sensors::EventStep::none) events->clock.read_again();  // there is time
  if (step != sensors::EventStep::event)
    return step == sensors::EventStep::none ? MAXLAT_MONITOR_NONE : MAXLAT_MONITOR_AGAIN;
  events->in_c.take(events->event, events->clock, event);
  return MAXLAT_MONITOR_OK;
} catch (...) {
  return thrown();
}

int maxlat_monitor_events_field(const struct maxlat_monitor_events* events, uint32_t number,
                                struct maxlat_monitor_field* field) try {
  return events->in_c.field(number, field);
} catch (...) {
  return thrown();
}

int maxlat_monitor_events_books(const struct maxlat_monitor_events* events, struct maxlat_monitor_books* books) {
  *books = books_in_c(events->reader.books());
  return MAXLAT_MONITOR_OK;
}

// ---- All lists of a monitor ----

struct maxlat_monitor_merge {
  struct List {
    size_t sensor;                // its number in the monitor
    sensors::EventReader unread;  // keeps the types: the merge has its own until the list is over
  };
  struct Held {
    sensors::ListedEvent event;
    std::vector<uint8_t> payload;
    size_t sensor;
  };

  sensors::EventMerge merge;
  std::vector<List> lists{};  // by their numbers in the merge
  sensors::EventClock clock{};
  std::deque<Held> held{};  // what a round has handed out; the first is the caller's
  bool first_is_taken = false;
  EventInC in_c{};

  void keep(const sensors::MergedEvent& one) {
    const List& list = lists[one.list];
    const auto& payload = one.event.payload;
    held.push_back({one.event, {payload.begin(), payload.end()}, list.sensor});
    sensors::ListedEvent& event = held.back().event;
    event.payload = held.back().payload;
    if (event.type == nullptr) return;
    event.type = &list.unread.types()[static_cast<size_t>(event.type - merge.types(one.list).data())];
  }
  void give_back() {
    in_c.clear();
    if (first_is_taken) held.pop_front();
    first_is_taken = false;
  }
};

struct maxlat_monitor_merge* maxlat_monitor_merge_open(const struct maxlat_monitor* monitor, uint64_t patience_ns) try {
  const uint64_t patience = sensors::EventClock::ticks_of(patience_ns);
  std::unique_ptr<maxlat_monitor_merge> merge(
      new maxlat_monitor_merge{.merge = sensors::EventMerge({.patience = patience})});
  for (size_t i = 0; i < monitor->sensors.size(); ++i) {
    const maxlat_monitor::Sensor& one = monitor->sensors[i];
    if (!sensors::has_events(one.facts->kind)) continue;
    merge->merge.add(*one.group, *one.facts);
    merge->lists.push_back({i, one.group->events(*one.facts, patience_ns)});
  }
  return merge.release();
} catch (...) {
  thrown();
  return nullptr;
}

void maxlat_monitor_merge_close(struct maxlat_monitor_merge* merge) {
  delete merge;
}

int maxlat_monitor_merge_next(struct maxlat_monitor_merge* merge, struct maxlat_monitor_event* event,
                              size_t* sensor) try {
  merge->give_back();
  if (merge->held.empty()) {
    merge->clock.read_again();
    merge->merge.round(maxlat_counter_plain(), [&](const sensors::MergedEvent& one) { merge->keep(one); });
  }
  if (merge->held.empty()) return MAXLAT_MONITOR_NONE;
  const maxlat_monitor_merge::Held& first = merge->held.front();
  merge->in_c.take(first.event, merge->clock, event);
  merge->first_is_taken = true;
  if (sensor != nullptr) *sensor = first.sensor;
  return MAXLAT_MONITOR_OK;
} catch (...) {
  return thrown();
}

int maxlat_monitor_merge_finish(struct maxlat_monitor_merge* merge) try {
  merge->give_back();
  merge->merge.finish([&](const sensors::MergedEvent& one) { merge->keep(one); });
  return MAXLAT_MONITOR_OK;
} catch (...) {
  return thrown();
}

int maxlat_monitor_merge_field(const struct maxlat_monitor_merge* merge, uint32_t number,
                               struct maxlat_monitor_field* field) try {
  return merge->in_c.field(number, field);
} catch (...) {
  return thrown();
}

int maxlat_monitor_merge_books(const struct maxlat_monitor_merge* merge, size_t sensor,
                               struct maxlat_monitor_books* books) try {
  for (size_t list = 0; list < merge->lists.size(); ++list) {
    if (merge->lists[list].sensor != sensor) continue;
    *books = books_in_c(merge->merge.books(list));
    return MAXLAT_MONITOR_OK;
  }
  return failed(MAXLAT_MONITOR_NOT_THIS, "sensor " + std::to_string(sensor) + " is not a list of events of this merge");
} catch (...) {
  return thrown();
}
