// SPDX-License-Identifier: MIT
#include "sensors/sensor_value.hpp"

#include <maxlat/sensors/counter.h>
#include <maxlat/sensors/counters.h>
#include <maxlat/sensors/event_list_types.h>
#include <maxlat/sensors/gauge.h>
#include <maxlat/sensors/histogram.h>
#include <maxlat/sensors/map.h>
#include <maxlat/sensors/stat.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "sensors/group_layout.hpp"
#include "shm/container.hpp"

namespace maxlat::sensors {
namespace {

using detail::SensorObject;
using trace::once;

constexpr int kLooksAtAStat = 100;  // a post takes ten instructions: more looks than this would not find it settled

// relaxed, all single words: each is a recent one.
CounterValue read_counter(const maxlat_counter& sensor) {
  return {once(sensor.value)};
}

GaugeValue read_gauge(const maxlat_gauge& sensor, const SensorObject& facts) {
  return {static_cast<std::int64_t>(once(sensor.value)), static_cast<std::int64_t>(facts.shape[0]),
          static_cast<std::int64_t>(facts.shape[1])};
}

StatValue look_at_stat(const maxlat_stat& sensor) {
  StatValue value;
  // acquire [V2]: the words of every post that is counted. Partner: release [V2] in stat.h. Shape: publish.
  value.count = __atomic_load_n(&sensor.count, __ATOMIC_ACQUIRE);
  value.value = static_cast<std::int64_t>(once(sensor.value));
  value.min = static_cast<std::int64_t>(once(sensor.min));
  value.max = static_cast<std::int64_t>(once(sensor.max));
  value.sum = once(sensor.sum);
  // acquire [V1]: the words before the look at `begun`. Partner: release [V1] in stat.h. Shape: seqlock.
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  value.settled = once(sensor.begun) == value.count;
  return value;
}

StatValue read_stat(const maxlat_stat& sensor) {
  StatValue value;
  for (int look = 0; look < kLooksAtAStat && !value.settled; ++look) value = look_at_stat(sensor);
  return value;
}

CountersValue read_counters(const maxlat_counters& sensor, const SensorObject& facts) {
  const std::uint64_t count = facts.shape[0];
  const auto* const values = reinterpret_cast<const std::uint64_t*>(&sensor + 1);
  const auto* const labels = reinterpret_cast<const char*>(&sensor) + maxlat_counters_labels_offset(count);
  CountersValue value;
  value.outside = once(sensor.outside);
  std::set<std::string> taken{"(outside)"};
  for (std::uint64_t i = 0; i < count; ++i) {
    char label[MAXLAT_COUNTERS_LABEL];
    for (std::size_t at = 0; at < sizeof label; ++at) label[at] = once(labels[i * sizeof label + at]);
    std::string text = detail::shown_text(label);
    if (text.empty()) text = std::to_string(i);
    while (!taken.insert(text).second) text += "#" + std::to_string(i);
    value.values.emplace_back(std::move(text), once(values[i]));
  }
  return value;
}

// What is in no bucket is counted already. `head` has min, max and sum.
template <class Head>
void read_buckets(const Head& head, const void* behind, std::uint64_t count, HistogramValue& value) {
  const auto* const buckets = static_cast<const std::uint64_t*>(behind);
  value.total = value.below + value.overflows;
  value.buckets.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) value.total += value.buckets.emplace_back(once(buckets[i]));
  value.min = once(head.min);
  value.max = once(head.max);
  value.sum = once(head.sum);
  value.has_moments = value.min <= value.max;
}

// Of sum and sum of squares. Posts under way, and a sum that went round, may make the difference negative: 0, then.
double deviation_of(const maxlat_histogram_head& head, const HistogramValue& value) {
  const auto count = static_cast<long double>(value.total);
  const long double squares = std::ldexp(static_cast<long double>(once(head.sum_sq_high)), 64) +
                              static_cast<long double>(once(head.sum_sq_low));
  const long double mean = static_cast<long double>(value.sum) / count;
  return static_cast<double>(std::sqrt(std::max(0.0L, squares / count - mean * mean)));
}

HistogramValue read_histogram(const maxlat_histogram_sensor& sensor, const SensorObject& facts) {
  HistogramValue value;
  value.shape = {static_cast<std::uint32_t>(facts.shape[0]), static_cast<std::uint32_t>(facts.shape[1])};
  value.overflows = once(sensor.head.overflow_count);
  // A place is filled after it was counted: what is still empty there is of a post that is under way.
  const std::uint64_t kept = std::min<std::uint64_t>(value.overflows, MAXLAT_HISTOGRAM_OVERFLOWS);
  for (std::uint64_t i = 0; i < kept; ++i) {
    const auto& [outlier, time] = sensor.head.overflow[i];
    if (const std::uint64_t seen = once(outlier); seen != 0) value.outliers.push_back({seen, once(time)});
  }
  read_buckets(sensor.head, &sensor + 1, maxlat_shape_buckets(value.shape), value);
  if (value.has_moments && value.total != 0) value.deviation = deviation_of(sensor.head, value);
  return value;
}

HistogramValue read_linear(const maxlat_linear& sensor, const SensorObject& facts) {
  const maxlat_linear_axis axis = maxlat_linear_axis_of(facts.shape[0], facts.shape[1]);
  HistogramValue value;
  value.low = axis.low;
  value.width = axis.width;
  value.below = once(sensor.below);
  value.overflows = once(sensor.above);
  read_buckets(sensor, &sensor + 1, axis.buckets, value);
  return value;
}

MapValue read_map(const maxlat_map& sensor, const SensorObject& facts) {
  const auto axis_of = [](const maxlat_map_axis& from, std::uint64_t cells) {
    const maxlat_map_axis axis = trace::copy_of(from);
    return MapValue::Axis{detail::shown_text(axis.name), detail::shown_text(axis.unit), axis.low, axis.width, cells};
  };
  MapValue value{axis_of(sensor.x, facts.shape[0]), axis_of(sensor.y, facts.shape[1]), {}, once(sensor.outside)};
  const auto* const cells = reinterpret_cast<const maxlat_map_cell*>(&sensor + 1);
  value.cells.reserve(value.x.cells * value.y.cells);
  for (std::uint64_t i = 0; i < value.x.cells * value.y.cells; ++i)
    value.cells.push_back({once(cells[i].count), once(cells[i].sum)});
  return value;
}

EventsValue read_events(const maxlat_event_list& sensor, const SensorObject& facts) {
  const maxlat_event_shape form = maxlat_event_shape_of(facts.shape[0], facts.shape[1]);
  const std::uint64_t refused = once(sensor.refused);
  return {once(sensor.next) + once(sensor.dropped) + refused, form.slots, form.ring, refused};
}

SensorValue read_one(const std::uint8_t* at, const SensorObject& facts) {
  switch (facts.kind) {
    case MAXLAT_SENSOR_COUNTER:
      return read_counter(*reinterpret_cast<const maxlat_counter*>(at));
    case MAXLAT_SENSOR_GAUGE:
      return read_gauge(*reinterpret_cast<const maxlat_gauge*>(at), facts);
    case MAXLAT_SENSOR_STAT:
      return read_stat(*reinterpret_cast<const maxlat_stat*>(at));
    case MAXLAT_SENSOR_COUNTERS:
      return read_counters(*reinterpret_cast<const maxlat_counters*>(at), facts);
    case MAXLAT_SENSOR_HISTOGRAM:
      return read_histogram(*reinterpret_cast<const maxlat_histogram_sensor*>(at), facts);
    case MAXLAT_SENSOR_LINEAR:
      return read_linear(*reinterpret_cast<const maxlat_linear*>(at), facts);
    case MAXLAT_SENSOR_MAP:
      return read_map(*reinterpret_cast<const maxlat_map*>(at), facts);
    case MAXLAT_SENSOR_EVENTS:
    case MAXLAT_SENSOR_VAR_EVENTS:
      return read_events(*reinterpret_cast<const maxlat_event_list*>(at), facts);
    default:
      return std::monostate{};
  }
}

// Stripes, which have one shape.
void add_up(CounterValue& all, const CounterValue& one) {
  all.value += one.value;
}
void add_up(CountersValue& all, const CountersValue& one) {
  for (std::size_t i = 0; i < all.values.size(); ++i) all.values[i].second += one.values[i].second;
  all.outside += one.outside;
}
// Of both together.
std::optional<double> deviation_of(const HistogramValue& all, const HistogramValue& one) {
  if (one.total == 0) return all.deviation;
  if (all.total == 0) return one.deviation;
  if (!all.deviation || !one.deviation) return std::nullopt;
  const double a = static_cast<double>(all.total), b = static_cast<double>(one.total);
  const double apart = static_cast<double>(all.sum) / a - static_cast<double>(one.sum) / b;
  const double squares = a * *all.deviation * *all.deviation + b * *one.deviation * *one.deviation;
  return std::sqrt(squares / (a + b) + apart * apart * a * b / ((a + b) * (a + b)));
}
void add_up(HistogramValue& all, const HistogramValue& one) {
  all.deviation = deviation_of(all, one);
  const std::size_t room = MAXLAT_HISTOGRAM_OVERFLOWS - all.outliers.size();
  all.outliers.insert(all.outliers.end(), one.outliers.begin(),
                      one.outliers.begin() + static_cast<std::ptrdiff_t>(std::min(room, one.outliers.size())));
  // Values that were counted without moments leave the sum without any.
  if (one.total > 0) all.has_moments = one.has_moments && (all.total == 0 || all.has_moments);
  for (std::size_t i = 0; i < all.buckets.size(); ++i) all.buckets[i] += one.buckets[i];
  all.total += one.total;
  all.overflows += one.overflows;
  all.below += one.below;
  all.min = std::min(all.min, one.min);
  all.max = std::max(all.max, one.max);
  all.sum += one.sum;
}
template <class Value>
void add_up(Value&, const Value&) {}  // of a kind that has no stripes

void add_up(SensorValue& all, const SensorValue& one) {
  std::visit([&one]<class Value>(Value& value) { add_up(value, std::get<Value>(one)); }, all);
}

}  // namespace

SensorValue detail::read_value(const std::uint8_t* object, const SensorObject& facts) {
  const std::uint8_t* at = object + facts.first;
  SensorValue value = read_one(at, facts);
  for (std::uint64_t i = 1; i < facts.stripes; ++i) {
    at += facts.bytes_of_stripe;
    add_up(value, read_one(at, facts));
  }
  return value;
}

std::uint64_t HistogramValue::quantile(double part) const {
  if (total == 0) return 0;
  const auto rank = static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(total)));
  std::uint64_t seen = below;
  if (seen >= std::max<std::uint64_t>(rank, 1))
    return has_moments ? std::min(low - 1, max) : low - 1;  // below: low > 0
  for (std::uint32_t i = 0; i < buckets.size(); ++i) {
    seen += buckets[i];
    if (seen < std::max<std::uint64_t>(rank, 1)) continue;
    const std::uint64_t high = high_of(i);
    return has_moments ? std::min(high, max) : high;
  }
  return has_moments ? max : high_of(static_cast<std::uint32_t>(buckets.size() - 1));
}

}  // namespace maxlat::sensors
