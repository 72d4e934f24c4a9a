// SPDX-License-Identifier: MIT
// C's calls of the monitors' side, each in terms of C++'s: which sensors there are, and their values.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "c/monitor_handle.hpp"

namespace sensors = maxlat::sensors;
using maxlat::sensors::c::failed;
using maxlat::sensors::c::no_such_sensor;
using maxlat::sensors::c::thrown;
using Monitored = maxlat_monitor::Sensor;

namespace {

thread_local std::string last_error;

}  // namespace

int maxlat::sensors::c::failed(maxlat_monitor_result result, std::string why) {
  last_error = std::move(why);
  return result;
}

int maxlat::sensors::c::thrown() noexcept {
  last_error = "no memory";  // so short that it is within the string
  return MAXLAT_MONITOR_FAILED;
}

int maxlat::sensors::c::no_such_sensor(const maxlat_monitor& monitor, size_t sensor) {
  return failed(MAXLAT_MONITOR_NO_SUCH,
                "there is no sensor " + std::to_string(sensor) + ", but " + std::to_string(monitor.sensors.size()));
}

namespace {

int32_t kind_of(sensors::SensorKind kind) {
  constexpr std::pair<sensors::SensorKind, maxlat_monitor_kind> kKinds[] = {
      {sensors::SensorKind::counter, MAXLAT_MONITOR_COUNTER},
      {sensors::SensorKind::gauge, MAXLAT_MONITOR_GAUGE},
      {sensors::SensorKind::stat, MAXLAT_MONITOR_STAT},
      {sensors::SensorKind::counters, MAXLAT_MONITOR_COUNTERS},
      {sensors::SensorKind::histogram, MAXLAT_MONITOR_HISTOGRAM},
      {sensors::SensorKind::events, MAXLAT_MONITOR_EVENTS},
      {sensors::SensorKind::map, MAXLAT_MONITOR_MAP}};
  for (const auto& [ours, theirs] : kKinds)
    if (kind == ours) return theirs;
  return MAXLAT_MONITOR_UNKNOWN;
}

// A value in the words of C.
struct InC {
  maxlat_monitor_value& out;

  void operator()(std::monostate) const {}
  void operator()(const sensors::CounterValue& v) const { out.count = v.value; }
  void operator()(const sensors::GaugeValue& v) const {
    out.value = v.value;
    out.min = v.lowest;
    out.max = v.highest;
  }
  void operator()(const sensors::StatValue& v) const {
    out.settled = v.settled;
    out.count = v.count;
    if (v.count == 0) return;
    out.has_extremes = true;
    out.value = v.value;
    out.min = v.min;
    out.max = v.max;
    out.sum = v.sum;
  }
  void operator()(const sensors::CountersValue& v) const {
    out.outside = out.count = v.outside;
    for (const auto& [label, count] : v.values) out.count += count;
    out.items = v.values.size();
  }
  void operator()(const sensors::HistogramValue& v) const {
    out.count = v.total;
    out.outside = v.overflows + v.below;
    out.below = v.below;
    out.items = v.buckets.size();
    out.has_extremes = v.has_moments;
    if (v.deviation) out.deviation = *v.deviation;
    if (!v.has_moments) return;
    out.min = static_cast<int64_t>(v.min);
    out.max = static_cast<int64_t>(v.max);
    out.sum = v.sum;
  }
  void operator()(const sensors::EventsValue& v) const {
    out.count = v.posts;
    out.items = v.slots;
    out.bytes = v.bytes;
    out.refused = v.refused;
  }
  void operator()(const std::shared_ptr<const sensors::OwnValue>&) const {}
  void operator()(const sensors::MapValue& v) const {
    out.outside = out.count = v.outside;
    for (const sensors::MapValue::Cell& cell : v.cells) out.count += cell.count;
    out.items = v.cells.size();
  }
};

}  // namespace

const char* maxlat_monitor_error(void) {
  return last_error.c_str();
}

namespace {

maxlat_monitor* open_monitor(const char* pattern, bool ended_too) try {
  auto groups = sensors::known_groups(ended_too);
  if (!groups) {
    failed(MAXLAT_MONITOR_FAILED, groups.error().text);
    return nullptr;
  }
  auto monitor = std::make_unique<maxlat_monitor>(maxlat_monitor{std::move(*groups), {}});
  for (const auto& [group, ended, ended_ns] : monitor->groups)
    for (const sensors::SensorFacts& facts : group.sensors())
      if (pattern == nullptr || sensors::matches(pattern, group, facts))
        monitor->sensors.push_back({&group, &facts, ended, {}});
  return monitor.release();
} catch (...) {
  thrown();
  return nullptr;
}

}  // namespace

struct maxlat_monitor* maxlat_monitor_open(const char* pattern) {
  return open_monitor(pattern, false);
}

struct maxlat_monitor* maxlat_monitor_open_ended(const char* pattern) {
  return open_monitor(pattern, true);
}

void maxlat_monitor_close(struct maxlat_monitor* monitor) {
  delete monitor;
}

size_t maxlat_monitor_count(const struct maxlat_monitor* monitor) {
  return monitor->sensors.size();
}

namespace {

// `what`: "a histogram".
int not_this(const Monitored& one, const std::string& what) {
  return failed(MAXLAT_MONITOR_NOT_THIS, one.facts->name + " is not " + what + ", or was not read");
}

}  // namespace

int maxlat_monitor_about(const struct maxlat_monitor* monitor, size_t sensor, struct maxlat_monitored* about) try {
  if (sensor >= monitor->sensors.size()) return no_such_sensor(*monitor, sensor);
  const Monitored& one = monitor->sensors[sensor];
  *about = {one.group->program().c_str(), one.group->group().c_str(), one.facts->name.c_str(),  one.facts->unit.c_str(),
            one.facts->about.c_str(),     one.group->pid(),           kind_of(one.facts->kind), one.facts->shared};
  return MAXLAT_MONITOR_OK;
} catch (...) {
  return thrown();
}

int64_t maxlat_monitor_id(const struct maxlat_monitor* monitor, size_t sensor) try {
  if (sensor >= monitor->sensors.size()) return no_such_sensor(*monitor, sensor);
  return monitor->sensors[sensor].facts->id;
} catch (...) {
  return thrown();
}

bool maxlat_monitor_ended(const struct maxlat_monitor* monitor, size_t sensor) {
  return sensor < monitor->sensors.size() && monitor->sensors[sensor].ended;
}

int maxlat_monitor_read(struct maxlat_monitor* monitor, size_t sensor, struct maxlat_monitor_value* value) try {
  if (sensor >= monitor->sensors.size()) return no_such_sensor(*monitor, sensor);
  Monitored& one = monitor->sensors[sensor];
  one.value = one.group->read(*one.facts);
  *value = {};
  value->kind = kind_of(one.facts->kind);
  value->settled = true;
  value->deviation = -1;
  std::visit(InC{*value}, one.value);
  return MAXLAT_MONITOR_OK;
} catch (...) {
  return thrown();
}

int64_t maxlat_monitor_items(const struct maxlat_monitor* monitor, size_t sensor, uint64_t* low, uint64_t* high,
                             uint64_t* count, size_t room) try {
  if (sensor >= monitor->sensors.size()) return no_such_sensor(*monitor, sensor);
  const Monitored& one = monitor->sensors[sensor];
  const auto put = [&](size_t i, uint64_t from, uint64_t to, uint64_t so_many) {
    if (i >= room) return;
    if (low != nullptr) low[i] = from;
    if (high != nullptr) high[i] = to;
    if (count != nullptr) count[i] = so_many;
  };
  if (const auto* histogram = std::get_if<sensors::HistogramValue>(&one.value)) {
    for (uint32_t i = 0; i < histogram->buckets.size(); ++i)
      put(i, histogram->low_of(i), histogram->high_of(i), histogram->buckets[i]);
    return static_cast<int64_t>(histogram->buckets.size());
  }
  if (const auto* counters = std::get_if<sensors::CountersValue>(&one.value)) {
    for (size_t i = 0; i < counters->values.size(); ++i) put(i, i, i, counters->values[i].second);
    return static_cast<int64_t>(counters->values.size());
  }
  return not_this(one, "a histogram, nor counters");
} catch (...) {
  return thrown();
}

int64_t maxlat_monitor_cells(const struct maxlat_monitor* monitor, size_t sensor, uint64_t* count, uint64_t* sum,
                             size_t room) try {
  if (sensor >= monitor->sensors.size()) return no_such_sensor(*monitor, sensor);
  const Monitored& one = monitor->sensors[sensor];
  const auto* const map = std::get_if<sensors::MapValue>(&one.value);
  if (map == nullptr) return not_this(one, "a map");
  for (size_t i = 0; i < std::min(room, map->cells.size()); ++i) {
    if (count != nullptr) count[i] = map->cells[i].count;
    if (sum != nullptr) sum[i] = map->cells[i].sum;
  }
  return static_cast<int64_t>(map->cells.size());
} catch (...) {
  return thrown();
}

int maxlat_monitor_axes(const struct maxlat_monitor* monitor, size_t sensor, struct maxlat_monitor_axis* x,
                        struct maxlat_monitor_axis* y) try {
  if (sensor >= monitor->sensors.size()) return no_such_sensor(*monitor, sensor);
  const Monitored& one = monitor->sensors[sensor];
  const auto* const map = std::get_if<sensors::MapValue>(&one.value);
  if (map == nullptr) return not_this(one, "a map");
  for (const auto& [from, to] : {std::pair{&map->x, x}, std::pair{&map->y, y}})
    *to = {from->name.c_str(), from->unit.c_str(), from->low, from->width, from->cells};
  return MAXLAT_MONITOR_OK;
} catch (...) {
  return thrown();
}

const char* maxlat_monitor_label(const struct maxlat_monitor* monitor, size_t sensor, size_t item) {
  if (sensor >= monitor->sensors.size()) return nullptr;
  const auto* const counters = std::get_if<sensors::CountersValue>(&monitor->sensors[sensor].value);
  return counters == nullptr || item >= counters->values.size() ? nullptr : counters->values[item].first.c_str();
}

int64_t maxlat_monitor_outliers(const struct maxlat_monitor* monitor, size_t sensor, uint64_t* value, uint64_t* time,
                                size_t room) try {
  if (sensor >= monitor->sensors.size()) return no_such_sensor(*monitor, sensor);
  const Monitored& one = monitor->sensors[sensor];
  const auto* const histogram = std::get_if<sensors::HistogramValue>(&one.value);
  if (histogram == nullptr) return not_this(one, "a histogram");
  for (size_t i = 0; i < std::min(room, histogram->outliers.size()); ++i) {
    if (value != nullptr) value[i] = histogram->outliers[i].value;
    if (time != nullptr) time[i] = histogram->outliers[i].time;
  }
  return static_cast<int64_t>(histogram->outliers.size());
} catch (...) {
  return thrown();
}

int maxlat_monitor_quantile(const struct maxlat_monitor* monitor, size_t sensor, double part, uint64_t* value) try {
  if (sensor >= monitor->sensors.size()) return no_such_sensor(*monitor, sensor);
  const Monitored& one = monitor->sensors[sensor];
  const auto* const histogram = std::get_if<sensors::HistogramValue>(&one.value);
  if (histogram == nullptr) return not_this(one, "a histogram");
  *value = histogram->quantile(std::clamp(part, 0.0, 1.0));
  return MAXLAT_MONITOR_OK;
} catch (...) {
  return thrown();
}
