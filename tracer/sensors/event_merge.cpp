// SPDX-License-Identifier: MIT
#include <maxlat/base/counter.h>

#include <algorithm>
#include <maxlat/sensors/event_merge.hpp>
#include <maxlat/trace/merge_stamped.hpp>
#include <utility>

namespace maxlat::sensors {
namespace {

constexpr std::size_t kMostSpare = 4096;

std::uint64_t before(std::uint64_t now, std::uint64_t ticks) {
  return now > ticks ? now - ticks : 0;
}

}  // namespace

// What is held of a list, up to a time.
class EventMerge::Source {
 public:
  Source(EventMerge& merge, List& list, std::uint64_t limit) : merge_(&merge), list_(&list), limit_(limit) {}

  bool advance() {
    if (given_) forget_first();
    given_ = !list_->held.empty() && list_->held.front().stamp.time < limit_;
    return given_;
  }
  Stamp stamp() const { return list_->held.front().stamp; }
  Held& held() { return list_->held.front(); }
  List& list() { return *list_; }

 private:
  void forget_first() {
    if (merge_->spare_.size() < kMostSpare) merge_->spare_.push_back(std::move(list_->held.front().payload));
    list_->held.pop_front();
  }

  EventMerge* merge_;
  List* list_;
  std::uint64_t limit_;
  bool given_ = false;
};

std::size_t EventMerge::add(const GroupView& group, const SensorFacts& list) {
  lists_.emplace_back().reader.emplace(group.events(list, options_.patience));
  return lists_.size() - 1;
}

void EventMerge::hold(std::size_t number, const ListedEvent& event) {
  List& list = lists_[number];
  // A list's times do not decrease, unless its program lies. Then the time is raised to the last one: else the place of
  // each event would be sought from the end, at the square of their number.
  std::uint64_t time = std::min(event.ticks, latest_);
  if (!event.late) time = list.last_time = std::max(list.last_time, time);
  Held held{{time, event.cpu.value_or(UINT32_MAX), number, event.position}, {}, {}};
  if (!spare_.empty()) {
    held.payload = std::move(spare_.back());
    spare_.pop_back();
  }
  held.payload.assign(event.payload.begin(), event.payload.end());
  const std::uint64_t lost = list.reader->books().lost();
  held.merged = {number, event, lost - std::exchange(list.lost, lost)};
  // Nearly always at the end.
  auto place = list.held.end();
  while (place != list.held.begin() && held.stamp < std::prev(place)->stamp) --place;
  list.held.insert(place, std::move(held));
}

void EventMerge::read(std::size_t number, std::uint64_t now) {
  List& list = lists_[number];
  if (!list.reader) return;
  list.reader->read_all(now, list.ended, [&](const ListedEvent& event) {
    if (event.ticks > latest_) latest_ = std::max(now, maxlat_counter_plain());
    hold(number, event);
  });
}

// REQUIRES: all lists were read since `now`.
std::uint64_t EventMerge::horizon(std::uint64_t now) const {
  std::uint64_t horizon = before(now, options_.patience);
  const std::uint64_t at_least = before(horizon, options_.patience);
  for (const List& list : lists_) {
    if (!list.reader || list.reader->books().pending == 0) continue;
    horizon = std::min(horizon, std::max(list.last_time, at_least));
  }
  return horizon;
}

void EventMerge::hand_out(std::uint64_t horizon, const Take& take) {
  trace::StampedMerge<Source> merge;
  for (List& list : lists_) {
    const std::size_t held = list.held.size();
    const bool too_many = held > options_.most_held;
    const std::uint64_t limit = too_many ? list.held[held - options_.most_held].stamp.time : 0;
    if (held != 0) merge.add(Source(*this, list, std::max(horizon, limit)));
  }
  while (Source* source = merge.next()) {
    Held& held = source->held();
    MergedEvent& one = held.merged;
    one.event.payload = held.payload;
    one.event.late = held.stamp < last_;
    last_ = std::max(last_, held.stamp);
    ++(one.event.late ? source->list().late : source->list().delivered);
    take(one);
  }
}

void EventMerge::close_ended() {
  for (std::size_t number = 0; number < lists_.size(); ++number) {
    List& list = lists_[number];
    if (!list.reader || !list.ended || !list.held.empty()) continue;
    list.last_books = books(number);
    if (list.last_books.pending == 0) list.reader.reset();
  }
}

void EventMerge::round(std::uint64_t now, const Take& take) {
  for (std::size_t number = 0; number < lists_.size(); ++number) read(number, now);
  hand_out(horizon(now), take);
  close_ended();
}

void EventMerge::finish(const Take& take) {
  const std::uint64_t now = maxlat_counter_plain();
  for (std::size_t number = 0; number < lists_.size(); ++number) {
    lists_[number].ended = true;
    read(number, now);
  }
  hand_out(UINT64_MAX, take);
  close_ended();
}

EventBooks EventMerge::books(std::size_t number) const {
  const List& list = lists_[number];
  if (!list.reader) return list.last_books;
  EventBooks books = list.reader->books();
  books.delivered = list.delivered;
  books.late = list.late;
  books.pending += list.held.size();
  return books;
}

std::uint64_t EventMerge::lost_since_last(std::size_t list) const {
  return books(list).lost() - lists_[list].lost;
}

std::size_t EventMerge::held() const {
  std::size_t held = 0;
  for (const List& list : lists_) held += list.held.size();
  return held;
}

}  // namespace maxlat::sensors
