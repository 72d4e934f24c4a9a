// SPDX-License-Identifier: MIT
#include "sensors/kinds/trace_reader.hpp"

#include <maxlat/sensors/trace_ring.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace maxlat::sensors::detail {

std::uint64_t lost_in_trace(const maxlat_ring& ring) {
  // relaxed: counters
  return maxlat_ring_load(&ring.header->lost_full) + maxlat_ring_load(&ring.header->lost_wrap) +
         maxlat_ring_load(&ring.header->lost_big);
}

TraceReader::TraceReader(std::shared_ptr<const void> memory, const TraceObject& trace)
    : memory_(std::move(memory)),
      trace_(trace),
      places_(maxlat_ring_sub_buffers(&trace.ring)),
      copy_(trace.ring.shape.sub_buffer_size / sizeof(std::uint64_t)),
      dropped_before_(lost_in_trace(trace.ring)) {
  maxlat_ring_follow_begin(&follower_, &trace.ring, reinterpret_cast<std::uint8_t*>(copy_.data()), places_.data());
}

EventStep TraceReader::next(ListedEvent& event, std::uint64_t) {
  maxlat_ring_walked record;
  const maxlat_ring_follow step = maxlat_ring_follow_next(&follower_, &record);
  if (step != MAXLAT_RING_FOLLOW_RECORD) return step == MAXLAT_RING_FOLLOW_AGAIN ? EventStep::again : EventStep::none;
  const std::uint64_t before = std::min<std::uint64_t>(record.payload_size, MAXLAT_TRACE_RING_CPU);
  std::uint64_t cpu = UINT32_MAX;
  if (before == MAXLAT_TRACE_RING_CPU) std::memcpy(&cpu, record.payload, sizeof cpu);
  event.type = record.id - 1 < types().size() ? &types()[record.id - 1] : nullptr;
  event.position = follower_.books.overwritten + follower_.books.given - 1;
  event.ticks = record.time;
  event.cpu = cpu >= UINT32_MAX ? std::nullopt : std::optional(static_cast<std::uint32_t>(cpu));
  event.payload = {record.payload + before, record.payload_size - before};
  event.late = false;
  return EventStep::event;
}

// What posts it has now, and no more: a program that goes on posting does not keep it here.
void TraceReader::read_all(std::uint64_t now_ns, bool ended, const std::function<void(const ListedEvent&)>& take) {
  if (ended) maxlat_ring_follow_to_the_end(&follower_);
  std::uint64_t left = maxlat_ring_follow_pending(&follower_) + 1;
  for (ListedEvent event; left > 0 && next(event, now_ns) == EventStep::event; --left) take(event);
}

EventBooks TraceReader::books() const {
  EventBooks books;
  books.delivered = follower_.books.given;
  books.overwritten = follower_.books.overwritten;
  books.unfinished = follower_.books.unfinished;
  books.dropped = lost_in_trace(trace_.ring) - dropped_before_;
  books.pending = maxlat_ring_follow_pending(&follower_);
  books.posts = books.delivered + books.overwritten + books.dropped + books.unfinished + books.pending;
  return books;
}

}  // namespace maxlat::sensors::detail
