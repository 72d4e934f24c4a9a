// SPDX-License-Identifier: MIT
#include "sensors/sensor_object.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "sensors/group_layout.hpp"

namespace maxlat::sensors::detail {
namespace {

using trace::ContainerMemory;
using trace::ObjectEntry;

// The head, for all kinds.
base::Status check_head(const ObjectEntry& entry, const ContainerMemory& memory, const SensorKindDefinition& kind,
                        SensorObject& checked) {
  const auto unfit = [&](const char* what) { return trace::unfit_memory("sensor " + entry.name + ": " + what); };
  if (entry.size < sizeof(maxlat_sensor)) return unfit("its size");
  const maxlat_sensor head = trace::copy_of(entry.in<const maxlat_sensor>(memory));
  if (head.magic != MAXLAT_SENSOR_MAGIC || head.kind != kind.number || head.layout_version != entry.layout_version)
    return unfit("its head is another's");
  if (head.size != entry.size || head.size != kind.size_of(head.shape)) return unfit("its size");
  if (head.writers > MAXLAT_SENSOR_SHARED) return unfit("its writers");
  checked.unit = shown_text(head.unit);
  checked.about = shown_text(head.about);
  checked.shared = head.writers == MAXLAT_SENSOR_SHARED;
  checked.sensor.kind = &kind;
  std::copy(std::begin(head.shape), std::end(head.shape), checked.sensor.shape);
  return {};
}

// REQUIRES: of a kind in the table.
base::Result<std::shared_ptr<const trace::CheckedObject>> check(const ObjectEntry& entry,
                                                                const ContainerMemory& memory) {
  const SensorKindDefinition& kind = *find_sensor_kind(entry.kind);
  auto checked = std::make_shared<SensorObject>();
  if (const base::Status head = check_head(entry, memory, kind, *checked); !head) return head.error();
  const char* const unfit =
      kind.check == nullptr ? nullptr : kind.check(&entry.in<const std::uint8_t>(memory), checked->sensor);
  if (unfit != nullptr) return trace::unfit_memory("sensor " + entry.name + ": " + unfit);
  return std::shared_ptr<const trace::CheckedObject>(std::move(checked));
}

SensorPart constant_part_of(const ObjectEntry& entry) {
  const SensorKindDefinition& kind = *find_sensor_kind(entry.kind);
  const auto& checked = static_cast<const SensorObject&>(*entry.checked);
  return kind.constant_part == nullptr ? SensorPart{} : kind.constant_part(checked.sensor.shape);
}

}  // namespace

std::vector<trace::ObjectKind> sensor_kinds() {
  std::vector<trace::ObjectKind> kinds;
  for (const SensorKindDefinition* kind : sensor_kind_table())
    kinds.push_back({kind->number, kind->word, kind->layout_version, check});
  return kinds;
}

SensorValue read_sensor(const std::uint8_t* sensor, const CheckedSensor& checked) {
  const std::uint8_t* at = sensor + checked.first;
  SensorValue value = checked.kind->read(at, checked);
  for (std::uint64_t i = 1; i < checked.stripes; ++i) {
    at += checked.bytes_of_stripe;
    checked.kind->add_up(value, checked.kind->read(at, checked));
  }
  return value;
}

bool are_made_alike(const ObjectEntry& a, const ContainerMemory& a_memory, const ObjectEntry& b,
                    const ContainerMemory& b_memory) {
  if (a.checked == nullptr || b.checked == nullptr || a.kind != b.kind || a.offset != b.offset || a.size != b.size)
    return false;
  // The same head asks for the same part. Not what fills it up to a cache line: nobody has written there.
  const auto is_same = [&](SensorPart part) {
    return std::memcmp(a_memory.head + a.offset + part.begin, b_memory.head + b.offset + part.begin,
                       part.end - part.begin) == 0;
  };
  return is_same({0, sizeof(maxlat_sensor)}) && is_same(constant_part_of(a)) && is_same(constant_part_of(b));
}

}  // namespace maxlat::sensors::detail
