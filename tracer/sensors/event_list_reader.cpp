// SPDX-License-Identifier: MIT
#include "sensors/event_list_reader.hpp"

#include <maxlat/sensors/event_list_types.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace maxlat::sensors::detail {

EventListReader::EventListReader(std::shared_ptr<const void> memory, const maxlat_event_list& list,
                                 const EventListObject& facts, std::uint64_t patience_ns)
    : memory_(std::move(memory)), facts_(facts) {
  const auto* const first = reinterpret_cast<const std::uint8_t*>(&list) + maxlat_event_slots_offset(facts.form);
  // The slots are of both sides, so they are not const; here nobody writes, and the pages could not be written to.
  auto* const slots = const_cast<std::uint8_t*>(first);
  const maxlat_event_memory where{&list,
                                  {slots, facts.form.slots, facts.form.slot_size},
                                  {slots + facts.form.slots * facts.form.slot_size, facts.form.ring}};
  maxlat_event_reader_begin(&reader_, where, patience_ns);
}

EventStep EventListReader::next(ListedEvent& event, std::uint64_t now_ns) {
  const maxlat_event_read read = maxlat_event_read_next(&reader_, now_ns, &copy_);
  if (read == MAXLAT_EVENT_NONE) return EventStep::none;
  if (read == MAXLAT_EVENT_AGAIN) return EventStep::again;
  event.type = copy_.type < types().size() ? &types()[copy_.type] : nullptr;
  event.position = copy_.position;
  event.ticks = copy_.time;
  event.cpu = copy_.cpu == UINT32_MAX ? std::nullopt : std::optional(copy_.cpu);
  event.payload = {reinterpret_cast<const std::uint8_t*>(copy_.payload), copy_.size};
  event.late = read == MAXLAT_EVENT_LATE;
  return EventStep::event;
}

void EventListReader::read_all(std::uint64_t now_ns, bool ended, const std::function<void(const ListedEvent&)>& take) {
  const EventBooks before = books();
  std::uint64_t left = std::min<std::uint64_t>(before.pending, MAXLAT_EVENT_MAX_SLOTS) + before.open + 1;
  for (ListedEvent event; left > 0; --left) {
    const EventStep step = next(event, now_ns);
    if (step == EventStep::event) take(event);
    if (step != EventStep::none) continue;
    if (!ended || books().pending == 0) break;
    now_ns += reader_.patience + 1;
  }
}

EventBooks EventListReader::books() const {
  EventBooks books;
  const maxlat_event_books now = maxlat_event_books_now(&reader_, &books.posts);
  books.delivered = now.delivered;
  books.late = now.late;
  books.overwritten = now.overwritten;
  books.dropped = now.dropped;
  books.unfinished = now.unfinished;
  books.open = now.open;
  books.pending = now.pending;
  return books;
}

}  // namespace maxlat::sensors::detail
