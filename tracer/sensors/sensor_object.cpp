// SPDX-License-Identifier: MIT
#include "sensors/sensor_object.hpp"

#include <maxlat/sensors/counter.h>
#include <maxlat/sensors/gauge.h>
#include <maxlat/sensors/histogram.h>
#include <maxlat/sensors/map.h>
#include <maxlat/sensors/stat.h>
#include <maxlat/sensors/striped.h>

#include <algorithm>
#include <cstring>

#include "sensors/event_list_object.hpp"
#include "sensors/group_layout.hpp"

namespace maxlat::sensors::detail {
namespace {

using trace::ContainerMemory;
using trace::ObjectEntry;

// The size that a sensor of this shape has; 0: no sensor of the kind has it.
using SizeOfShape = std::uint64_t (*)(const std::uint64_t (&shape)[2]);

template <typename Sensor>
std::uint64_t fixed_size(const std::uint64_t (&)[2]) {
  return sizeof(Sensor);
}

std::uint64_t size_of_counters(const std::uint64_t (&shape)[2]) {
  return shape[0] > 0 && shape[0] <= MAXLAT_COUNTERS_MAX ? maxlat_counters_size(shape[0]) : 0;
}

std::uint64_t size_of_histogram(const std::uint64_t (&shape)[2]) {
  if (shape[0] > MAXLAT_SHAPE_MAX_SUB_BITS || shape[1] > 64) return 0;
  const maxlat_histogram_shape made{static_cast<std::uint32_t>(shape[0]), static_cast<std::uint32_t>(shape[1])};
  return maxlat_shape_valid(made) != 0 ? maxlat_histogram_sensor_size(made) : 0;
}

std::uint64_t size_of_linear(const std::uint64_t (&shape)[2]) {
  const maxlat_linear_axis axis = maxlat_linear_axis_of(shape[0], shape[1]);
  return maxlat_linear_valid(axis) ? maxlat_linear_size(axis.buckets) : 0;
}

std::uint64_t size_of_map(const std::uint64_t (&shape)[2]) {
  const bool is_one = shape[0] > 0 && shape[0] <= MAXLAT_LINEAR_MAX_BUCKETS && shape[1] > 0 &&
                      shape[1] <= MAXLAT_LINEAR_MAX_BUCKETS && shape[0] * shape[1] <= MAXLAT_MAP_MAX_CELLS;
  return is_one ? maxlat_map_size(shape[0] * shape[1]) : 0;
}

// The head, for all kinds.
base::Status check_head(const ObjectEntry& entry, const ContainerMemory& memory, maxlat_sensor_kind kind,
                        SizeOfShape size_of, SensorObject& checked) {
  const auto unfit = [&](const char* what) { return trace::unfit_memory("sensor " + entry.name + ": " + what); };
  if (entry.size < sizeof(maxlat_sensor)) return unfit("its size");
  const maxlat_sensor head = trace::copy_of(entry.in<const maxlat_sensor>(memory));
  if (head.magic != MAXLAT_SENSOR_MAGIC || head.kind != kind || head.layout_version != entry.layout_version)
    return unfit("its head is another's");
  if (head.size != entry.size || head.size != size_of(head.shape)) return unfit("its size");
  if (head.writers > MAXLAT_SENSOR_SHARED) return unfit("its writers");
  checked.unit = shown_text(head.unit);
  checked.about = shown_text(head.about);
  checked.shared = head.writers == MAXLAT_SENSOR_SHARED;
  checked.kind = kind;
  std::copy(std::begin(head.shape), std::end(head.shape), checked.shape);
  return {};
}

using Checked = base::Result<std::shared_ptr<const trace::CheckedObject>>;

template <maxlat_sensor_kind kKind, SizeOfShape size_of>
Checked check(const ObjectEntry& entry, const ContainerMemory& memory) {
  auto checked = std::make_shared<SensorObject>();
  if (const base::Status head = check_head(entry, memory, kKind, size_of, *checked); !head) return head.error();
  return std::shared_ptr<const trace::CheckedObject>(std::move(checked));
}

// What can be added up.
struct StripeKind {
  maxlat_sensor_kind kind;
  std::uint32_t layout_version;
  SizeOfShape size_of;
};
constexpr StripeKind kStripeKinds[] = {
    {MAXLAT_SENSOR_COUNTER, MAXLAT_COUNTER_VERSION, fixed_size<maxlat_counter>},
    {MAXLAT_SENSOR_COUNTERS, MAXLAT_COUNTERS_VERSION, size_of_counters},
    {MAXLAT_SENSOR_HISTOGRAM, MAXLAT_HISTOGRAM_SENSOR_VERSION, size_of_histogram},
    {MAXLAT_SENSOR_LINEAR, MAXLAT_LINEAR_VERSION, size_of_linear},
};

std::uint64_t size_of_striped(const std::uint64_t (&shape)[2]) {
  const bool is_one = shape[0] > 0 && shape[0] <= MAXLAT_STRIPED_MAX && shape[1] > sizeof(maxlat_sensor) &&
                      shape[1] % MAXLAT_SENSOR_ALIGNMENT == 0 && shape[1] <= kLargestGroup;
  return is_one ? sizeof(maxlat_sensor) + shape[0] * shape[1] : 0;
}

// The stripes' own heads are looked at once, the first's: all are read as that says.
Checked check_striped(const ObjectEntry& entry, const ContainerMemory& memory) {
  auto checked = std::make_shared<SensorObject>();
  const base::Status head = check_head(entry, memory, MAXLAT_SENSOR_STRIPED, size_of_striped, *checked);
  if (!head) return head.error();
  checked->first = sizeof(maxlat_sensor);
  checked->stripes = checked->shape[0];
  checked->bytes_of_stripe = checked->shape[1];
  const maxlat_sensor stripe = trace::copy_of((&entry.in<const maxlat_sensor>(memory))[1]);
  const auto* const kind = std::find_if(std::begin(kStripeKinds), std::end(kStripeKinds), [&](const StripeKind& each) {
    return each.kind == stripe.kind && each.layout_version == stripe.layout_version;
  });
  if (kind == std::end(kStripeKinds) || stripe.magic != MAXLAT_SENSOR_MAGIC ||
      kind->size_of(stripe.shape) != checked->bytes_of_stripe)
    return trace::unfit_memory("sensor " + entry.name + ": its stripes");
  checked->kind = stripe.kind;
  std::copy(std::begin(stripe.shape), std::end(stripe.shape), checked->shape);
  return std::shared_ptr<const trace::CheckedObject>(std::move(checked));
}

template <maxlat_sensor_kind kKind, SizeOfShape size_of>
Checked check_events(const ObjectEntry& entry, const ContainerMemory& memory) {
  auto checked = std::make_shared<EventListObject>();
  const base::Status head = check_head(entry, memory, kKind, size_of, *checked);
  if (!head) return head.error();
  if (const base::Status types = read_event_types(entry, memory, *checked); !types) return types.error();
  return std::shared_ptr<const trace::CheckedObject>(std::move(checked));
}

}  // namespace

std::span<const trace::ObjectKind> sensor_kinds() {
  static constexpr trace::ObjectKind kKinds[] = {
      {MAXLAT_SENSOR_COUNTER, "counter", MAXLAT_COUNTER_VERSION,
       check<MAXLAT_SENSOR_COUNTER, fixed_size<maxlat_counter>>},
      {MAXLAT_SENSOR_GAUGE, "gauge", MAXLAT_GAUGE_VERSION, check<MAXLAT_SENSOR_GAUGE, fixed_size<maxlat_gauge>>},
      {MAXLAT_SENSOR_STAT, "stat", MAXLAT_STAT_VERSION, check<MAXLAT_SENSOR_STAT, fixed_size<maxlat_stat>>},
      {MAXLAT_SENSOR_COUNTERS, "counters", MAXLAT_COUNTERS_VERSION, check<MAXLAT_SENSOR_COUNTERS, size_of_counters>},
      {MAXLAT_SENSOR_HISTOGRAM, "histogram", MAXLAT_HISTOGRAM_SENSOR_VERSION,
       check<MAXLAT_SENSOR_HISTOGRAM, size_of_histogram>},
      {MAXLAT_SENSOR_EVENTS, "events", MAXLAT_EVENT_LIST_VERSION,
       check_events<MAXLAT_SENSOR_EVENTS, size_of_event_list>},
      {MAXLAT_SENSOR_VAR_EVENTS, "var_events", MAXLAT_VAR_EVENT_LIST_VERSION,
       check_events<MAXLAT_SENSOR_VAR_EVENTS, size_of_var_event_list>},
      {MAXLAT_SENSOR_LINEAR, "linear", MAXLAT_LINEAR_VERSION, check<MAXLAT_SENSOR_LINEAR, size_of_linear>},
      {MAXLAT_SENSOR_STRIPED, "striped", MAXLAT_STRIPED_VERSION, check_striped},
      {MAXLAT_SENSOR_MAP, "map", MAXLAT_MAP_VERSION, check<MAXLAT_SENSOR_MAP, size_of_map>},
  };
  return kKinds;
}

namespace {

// What is constant behind the head. Not what fills it up to a cache line: nobody has written there.
struct ConstantPart {
  std::uint64_t begin = 0, end = 0;
};

ConstantPart constant_part_of(const ObjectEntry& entry) {
  const auto& sensor = static_cast<const SensorObject&>(*entry.checked);
  switch (entry.kind) {
    case MAXLAT_SENSOR_COUNTERS: {
      const std::uint64_t labels = maxlat_counters_labels_offset(sensor.shape[0]);
      return {labels, labels + sensor.shape[0] * MAXLAT_COUNTERS_LABEL};
    }
    case MAXLAT_SENSOR_MAP:
      return {offsetof(maxlat_map, x), sizeof(maxlat_map)};
    case MAXLAT_SENSOR_EVENTS:
    case MAXLAT_SENSOR_VAR_EVENTS:
      return {sizeof(maxlat_event_list), maxlat_event_tables_end(static_cast<const EventListObject&>(sensor).form)};
    default:
      return {};
  }
}

}  // namespace

bool are_made_alike(const ObjectEntry& a, const ContainerMemory& a_memory, const ObjectEntry& b,
                    const ContainerMemory& b_memory) {
  if (a.checked == nullptr || b.checked == nullptr || a.kind != b.kind || a.offset != b.offset || a.size != b.size)
    return false;
  // The same head asks for the same part.
  const auto is_same = [&](ConstantPart part) {
    return std::memcmp(a_memory.head + a.offset + part.begin, b_memory.head + b.offset + part.begin,
                       part.end - part.begin) == 0;
  };
  return is_same({0, sizeof(maxlat_sensor)}) && is_same(constant_part_of(a)) && is_same(constant_part_of(b));
}

}  // namespace maxlat::sensors::detail
