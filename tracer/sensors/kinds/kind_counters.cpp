// SPDX-License-Identifier: MIT
#include <maxlat/sensors/counters.h>

#include <maxlat/sensors/sensor_kind.hpp>
#include <set>
#include <string>
#include <utility>

#include "sensors/group_layout.hpp"
#include "shm/container.hpp"

namespace maxlat::sensors {
namespace {

using trace::once;

std::uint64_t size_of_counters(const std::uint64_t (&shape)[2]) {
  return shape[0] > 0 && shape[0] <= MAXLAT_COUNTERS_MAX ? maxlat_counters_size(shape[0]) : 0;
}

SensorValue read_counters(const std::uint8_t* at, const CheckedSensor& checked) {
  const auto& sensor = *reinterpret_cast<const maxlat_counters*>(at);
  const std::uint64_t count = checked.shape[0];
  const auto* const values = reinterpret_cast<const std::uint64_t*>(&sensor + 1);
  const auto* const labels = reinterpret_cast<const char*>(&sensor) + maxlat_counters_labels_offset(count);
  CountersValue value;
  value.outside = once(sensor.outside);
  std::set<std::string> taken{"(outside)"};
  for (std::uint64_t i = 0; i < count; ++i) {
    char label[MAXLAT_COUNTERS_LABEL];
    for (std::size_t at_letter = 0; at_letter < sizeof label; ++at_letter)
      label[at_letter] = once(labels[i * sizeof label + at_letter]);
    std::string text = detail::shown_text(label);
    if (text.empty()) text = std::to_string(i);
    while (!taken.insert(text).second) text += "#" + std::to_string(i);
    value.values.emplace_back(std::move(text), once(values[i]));
  }
  return value;
}

void add_up_arrays(SensorValue& all, const SensorValue& one) {
  auto& sum = std::get<CountersValue>(all);
  const auto& more = std::get<CountersValue>(one);
  for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i].second += more.values[i].second;
  sum.outside += more.outside;
}

SensorPart labels_of(const std::uint64_t (&shape)[2]) {
  const std::uint64_t labels = maxlat_counters_labels_offset(shape[0]);
  return {labels, labels + shape[0] * MAXLAT_COUNTERS_LABEL};
}

}  // namespace

extern const SensorKindDefinition kCountersKind{
    .number = MAXLAT_SENSOR_COUNTERS,
    .word = "counters",
    .layout_version = MAXLAT_COUNTERS_VERSION,
    .kind = SensorKind::counters,
    .size_of = size_of_counters,
    .read = read_counters,
    .add_up = add_up_arrays,
    .constant_part = labels_of,
};

}  // namespace maxlat::sensors
