// SPDX-License-Identifier: MIT
// A trace in a group: to readers a list of events, in other words.
#include <maxlat/ring/commit.h>
#include <maxlat/sensors/trace_ring.h>

#include <cstring>
#include <maxlat/sensors/sensor_kind.hpp>
#include <memory>
#include <utility>

#include "sensors/event_list_object.hpp"
#include "sensors/kinds/trace_reader.hpp"
#include "shm/container.hpp"

namespace maxlat::sensors {
namespace {

using detail::TraceObject;

maxlat_trace_ring_shape shape_of_trace(const std::uint64_t (&shape)[2]) {
  return maxlat_trace_ring_shape_of(shape[0], shape[1]);
}

std::uint64_t size_of_trace(const std::uint64_t (&shape)[2]) {
  const maxlat_trace_ring_shape form = shape_of_trace(shape);
  const bool is_one = form.sub_buffer_bits >= MAXLAT_RING_MIN_SUB_BUFFER_BITS &&
                      form.sub_buffer_bits <= MAXLAT_TRACE_RING_MAX_SUB_BUFFER_BITS &&
                      form.ring_bits >= MAXLAT_RING_MIN_RING_BITS && form.ring_bits <= MAXLAT_RING_MAX_RING_BITS &&
                      form.types > 0 && form.types <= MAXLAT_EVENT_MAX_TYPES && form.fields > 0 &&
                      form.fields <= MAXLAT_EVENT_MAX_FIELDS && form.labels > 0 &&
                      form.labels <= MAXLAT_EVENT_MAX_LABELS;
  return is_one ? maxlat_trace_ring_size(form) : 0;
}

const char* check_trace(const std::uint8_t* sensor, CheckedSensor& checked) {
  const maxlat_trace_ring_shape form = shape_of_trace(checked.shape);
  auto trace = std::make_shared<TraceObject>();
  // Nothing that has a pointer that is not const writes there, and the pages could not be written to.
  auto* const ring = const_cast<std::uint8_t*>(sensor) + maxlat_trace_ring_offset(form);
  if (!maxlat_ring_attach(&trace->ring, ring, maxlat_trace_ring_total(form)) ||
      trace->ring.shape.sub_buffer_bits != form.sub_buffer_bits || trace->ring.shape.ring_bits != form.ring_bits ||
      trace->ring.features != MAXLAT_RING_OVERWRITE)
    return "its ring";
  const std::uint64_t room = trace->ring.shape.sub_buffer_size - MAXLAT_RING_PACKET_HEADER - MAXLAT_TRACE_RING_CPU;
  trace->form = {0, sizeof(maxlat_event_slot) + room, form.types, form.fields, form.labels, 0};
  if (!trace->read_types(sensor + sizeof(maxlat_sensor))) return "its types of events";
  checked.kept = std::move(trace);
  return nullptr;
}

// Of all places together, and never less than before. Each place counts modulo 2^24, and so does their sum. How often
// it went round is known from the count of those that were delivered, which is less by a ring's records at most.
std::uint64_t records_of(const maxlat_ring& ring) {
  // acquire [B1]: what is counted there is counted by its place. Partner: release [B1] in reserve.c. Shape: publish.
  const std::uint64_t delivered = maxlat_ring_load_acquire(&ring.header->records_delivered);
  std::uint64_t of_places = 0;
  for (std::uint64_t i = 0; i < maxlat_ring_sub_buffers(&ring); ++i)
    of_places += maxlat_ring_committed_since(&ring, i << ring.shape.sub_buffer_bits, 0);
  return delivered + ((of_places - delivered) & (UINT64_MAX >> MAXLAT_RING_COMMIT_BITS));
}

SensorValue read_trace(const std::uint8_t*, const CheckedSensor& checked) {
  const maxlat_ring& ring = static_cast<const TraceObject*>(checked.kept.get())->ring;
  EventsValue value;
  value.posts = records_of(ring) + detail::lost_in_trace(ring);
  const std::uint64_t of_packet = ring.shape.sub_buffer_size - MAXLAT_RING_PACKET_HEADER;
  value.bytes = of_packet * maxlat_ring_sub_buffers(&ring);
  value.slots = of_packet / maxlat_ring_record_size(MAXLAT_TRACE_RING_CPU) * maxlat_ring_sub_buffers(&ring);
  return value;
}

// Nothing is reserved that is not committed, and what is complete is delivered.
bool is_at_rest(const maxlat_ring& ring) {
  const std::uint64_t write_count = maxlat_ring_load(ring.write_count);
  const std::uint64_t offset = write_count & ring.shape.sub_buffer_mask;
  for (std::uint64_t i = 0; i < maxlat_ring_sub_buffers(&ring); ++i) {
    const std::uint64_t open = maxlat_ring_load(maxlat_ring_commit_count(&ring, i)) - ring.cells[i].commit_seq;
    const bool is_open = offset != 0 && i == maxlat_ring_index(&ring.shape, write_count);
    if (is_open ? (open & MAXLAT_RING_COMMIT_MASK) != offset : open != 0) return false;
  }
  return true;
}

// A copy that waits for the end of a post which is another's would wait for ever, and after a lap have room for none.
void settle_trace(std::uint8_t* copy, const std::uint8_t* original) {
  const maxlat_trace_ring_shape form = shape_of_trace(reinterpret_cast<const maxlat_sensor*>(copy)->shape);
  const std::uint64_t at = maxlat_trace_ring_offset(form);
  maxlat_ring ring{}, copied_from{};
  const std::uint64_t total = maxlat_trace_ring_total(form);
  if (!maxlat_ring_attach(&ring, copy + at, total)) return;
  // As a reader's second look: who has reserved nothing since has written nothing since.
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (original != nullptr && maxlat_ring_attach(&copied_from, const_cast<std::uint8_t*>(original) + at, total) &&
      maxlat_ring_load(copied_from.write_count) == maxlat_ring_load(ring.write_count) && is_at_rest(ring))
    return;
  const maxlat_ring_options options{
      MAXLAT_RING_OVERWRITE, ring.shape.sub_buffer_bits, ring.shape.ring_bits, 0, {}, 0};
  std::memset(copy + at, 0, maxlat_trace_ring_memory(form.ring_bits));
  maxlat_ring_create(&ring, copy + at, total, &options);
}

EventReader events_of_trace(std::shared_ptr<const void> memory, const std::uint8_t*, const CheckedSensor& checked,
                            std::uint64_t) {
  return EventReader(
      std::make_unique<detail::TraceReader>(std::move(memory), *static_cast<const TraceObject*>(checked.kept.get())));
}

}  // namespace

extern const SensorKindDefinition kTraceKind{
    .number = MAXLAT_SENSOR_TRACE,
    .word = "trace",
    .layout_version = MAXLAT_TRACE_RING_VERSION,
    .kind = SensorKind::events,
    .size_of = size_of_trace,
    .check = check_trace,
    .read = read_trace,
    .settle = settle_trace,
    .constant_part =
        [](const std::uint64_t (&shape)[2]) {
          return SensorPart{sizeof(maxlat_sensor), maxlat_trace_ring_tables_end(shape_of_trace(shape))};
        },
    .events = events_of_trace,
};

}  // namespace maxlat::sensors
