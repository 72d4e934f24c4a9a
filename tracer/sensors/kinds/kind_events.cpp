// SPDX-License-Identifier: MIT
// Lists of events, of both forms: their words differ in the slots, which the reader of events knows.
#include <maxlat/sensors/event_list_types.h>

#include <maxlat/sensors/sensor_kind.hpp>

#include "sensors/event_list_object.hpp"
#include "shm/container.hpp"

namespace maxlat::sensors {
namespace {

using trace::once;

SensorValue read_list(const std::uint8_t* at, const CheckedSensor& checked) {
  const auto& sensor = *reinterpret_cast<const maxlat_event_list*>(at);
  const maxlat_event_shape form = maxlat_event_shape_of(checked.shape[0], checked.shape[1]);
  const std::uint64_t refused = once(sensor.refused);
  return EventsValue{once(sensor.next) + once(sensor.dropped) + refused, form.slots, form.ring, refused};
}

SensorPart types_of_list(const std::uint64_t (&shape)[2]) {
  return {sizeof(maxlat_event_list), maxlat_event_tables_end(maxlat_event_shape_of(shape[0], shape[1]))};
}

constexpr SensorKindDefinition kList{
    .number = MAXLAT_SENSOR_EVENTS,
    .word = "events",
    .layout_version = MAXLAT_EVENT_LIST_VERSION,
    .kind = SensorKind::events,
    .size_of = detail::size_of_event_list,
    .check = detail::EventListObject::check,
    .read = read_list,
    .constant_part = types_of_list,
    .events = detail::EventListObject::events_of,
};

constexpr SensorKindDefinition var_list() {
  SensorKindDefinition list = kList;
  list.number = MAXLAT_SENSOR_VAR_EVENTS;
  list.word = "var_events";
  list.layout_version = MAXLAT_VAR_EVENT_LIST_VERSION;
  list.size_of = detail::size_of_var_event_list;
  return list;
}

}  // namespace

extern const SensorKindDefinition kEventsKind = kList;
extern const SensorKindDefinition kVarEventsKind = var_list();

}  // namespace maxlat::sensors
