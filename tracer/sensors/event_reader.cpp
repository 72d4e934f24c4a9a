// SPDX-License-Identifier: MIT
#include <maxlat/sensors/event_list_read.h>
#include <maxlat/sensors/event_list_types.h>

#include <algorithm>
#include <cstdint>
#include <maxlat/sensors/event_reader.hpp>
#include <utility>

#include "sensors/event_list_object.hpp"

namespace maxlat::sensors {

struct EventReader::Body {
  std::shared_ptr<const void> memory;
  const detail::EventListObject& facts;  // in the memory's group
  maxlat_event_reader reader;
  maxlat_event_copy copy;
};

EventReader::EventReader(std::shared_ptr<const void> memory, const maxlat_event_list& list,
                         const detail::EventListObject& facts, std::uint64_t patience_ns)
    : body_(new Body{std::move(memory), facts, {}, {}}) {
  const auto* const first = reinterpret_cast<const std::uint8_t*>(&list) + maxlat_event_slots_offset(facts.form);
  // The slots are of both sides, so they are not const; here nobody writes, and the pages could not be written to.
  auto* const slots = const_cast<std::uint8_t*>(first);
  const maxlat_event_memory where{&list,
                                  {slots, facts.form.slots, facts.form.slot_size},
                                  {slots + facts.form.slots * facts.form.slot_size, facts.form.ring}};
  maxlat_event_reader_begin(&body_->reader, where, patience_ns);
}
EventReader::EventReader(EventReader&&) noexcept = default;
EventReader& EventReader::operator=(EventReader&&) noexcept = default;
EventReader::~EventReader() = default;

const std::vector<trace::EventDescription>& EventReader::types() const {
  return body_->facts.events;
}

EventStep EventReader::next(ListedEvent& event, std::uint64_t now_ns) {
  const maxlat_event_copy& copy = body_->copy;
  const maxlat_event_read read = maxlat_event_read_next(&body_->reader, now_ns, &body_->copy);
  if (read == MAXLAT_EVENT_NONE) return EventStep::none;
  if (read == MAXLAT_EVENT_AGAIN) return EventStep::again;
  event.type = copy.type < types().size() ? &types()[copy.type] : nullptr;
  event.position = copy.position;
  event.ticks = copy.time;
  event.cpu = copy.cpu == UINT32_MAX ? std::nullopt : std::optional(copy.cpu);
  event.payload = {reinterpret_cast<const std::uint8_t*>(copy.payload), copy.size};
  event.late = read == MAXLAT_EVENT_LATE;
  return EventStep::event;
}

void EventReader::read_all(std::uint64_t now_ns, bool ended, const std::function<void(const ListedEvent&)>& take) {
  const EventBooks before = books();
  std::uint64_t left = std::min<std::uint64_t>(before.pending, MAXLAT_EVENT_MAX_SLOTS) + before.open + 1;
  for (ListedEvent event; left > 0; --left) {
    const EventStep step = next(event, now_ns);
    if (step == EventStep::event) take(event);
    if (step != EventStep::none) continue;
    if (!ended || books().pending == 0) break;
    now_ns += body_->reader.patience + 1;
  }
}

EventBooks EventReader::books() const {
  EventBooks books;
  const maxlat_event_books now = maxlat_event_books_now(&body_->reader, &books.posts);
  books.delivered = now.delivered;
  books.late = now.late;
  books.overwritten = now.overwritten;
  books.dropped = now.dropped;
  books.unfinished = now.unfinished;
  books.open = now.open;
  books.pending = now.pending;
  return books;
}

}  // namespace maxlat::sensors
