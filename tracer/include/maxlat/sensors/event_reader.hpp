// SPDX-License-Identifier: MIT
//
// The events of a list (event_list.hpp), or of a trace in a group (trace_ring.hpp), read by a monitor while the program
// goes on posting. START HERE to follow one from a program:
//
//   EventReader reader = group.events(sensor);
//   for (ListedEvent event; reader.next(event, base::monotonic_ns()) == EventStep::event;)
//     ... event.type->name, trace::FieldValues(event.type->fields, event.payload)
//
// Each reader has a position of its own. A late reader gets the events that are still there.
//
// BOOKS: exact counts for each reader. Every post since the oldest event that it found is delivered, or counted
// by what happened to it (event_list_read.h, BOOKS; of a trace: ring/follow/follow.h, BOOKS).
// BOUNDS: a call looks at 1024 positions, or 256 packets, at most, whatever the program does. A program that posts
// faster than its monitor reads keeps it busy for ever: a monitor that wants to end must count its calls.
// TRUST: as GroupView. What a program writes over an event afterwards is not seen.
// OWNERSHIP: the reader keeps the list's memory. THREADS: one a reader.
#pragma once

#include <cstdint>
#include <functional>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/moment.hpp>
#include <maxlat/sensors/monitor.hpp>
#include <maxlat/trace/description.hpp>
#include <maxlat/trace/field_values.hpp>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace maxlat::sensors {

// Valid until the next call of the reader that it is of.
struct ListedEvent {
  const trace::EventDescription* type = nullptr;  // null: of none of the list's types; an honest program has no such
  std::uint64_t position = 0;                     // how many posts of the list had a place before it
  std::uint64_t ticks = 0;                        // of the counter; not decreasing from position to position
  std::optional<std::uint32_t> cpu;
  std::span<const std::uint8_t> payload;  // its fields, and what may be behind them
  bool late = false;                      // behind its turn: the reader had waited for it, and given up
};

// Of the posts since the reader began.
struct EventBooks {
  std::uint64_t posts = 0;
  std::uint64_t delivered = 0;    // in order
  std::uint64_t late = 0;         // delivered, too
  std::uint64_t overwritten = 0;  // before the reader came to them
  std::uint64_t dropped = 0;      // by the program
  std::uint64_t unfinished = 0;   // not ended before its slot had another event
  std::uint64_t open = 0;         // begun; they may come, late
  std::uint64_t pending = 0;      // not read yet

  std::uint64_t lost() const { return overwritten + dropped + unfinished; }
  bool balance() const { return posts == delivered + late + overwritten + dropped + unfinished + open + pending; }
};

enum class EventStep {
  none,   // nothing to hand out now
  event,  // there is one
  again   // a call's work was in vain: call again
};

class EventReader {
 public:
  // How the events of a kind of sensor are read: it does what the calls below say.
  class Source {
   public:
    Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    virtual ~Source() = default;
    virtual const std::vector<trace::EventDescription>& types() const = 0;
    virtual EventStep next(ListedEvent& event, std::uint64_t now_ns) = 0;
    virtual void read_all(std::uint64_t now_ns, bool ended, const std::function<void(const ListedEvent&)>& take) = 0;
    virtual EventBooks books() const = 0;
  };
  explicit EventReader(std::unique_ptr<Source> source) : source_(std::move(source)) {}

  const std::vector<trace::EventDescription>& types() const { return source_->types(); }
  // `now_ns`: of any clock that does not go back; an event whose post has not ended is waited for by it, for the
  // patience that the reader was given.
  EventStep next(ListedEvent& event, std::uint64_t now_ns) { return source_->next(event, now_ns); }
  // What has come, and what was passed over and comes now. Bounded, however fast the program posts. `ended`: nobody
  // posts any more, so that a post which has not ended never will, and is not waited for.
  void read_all(std::uint64_t now_ns, bool ended, const std::function<void(const ListedEvent&)>& take) {
    source_->read_all(now_ns, ended, take);
  }
  EventBooks books() const { return source_->books(); }

 private:
  std::unique_ptr<Source> source_;
};

// Times of the wall clock for the ticks of events, by what both are now. COST of the first: base::calibrate().
class EventClock {
 public:
  EventClock() { read_again(); }
  static std::uint64_t ticks_of(std::uint64_t ns) { return rate().to_ticks(ns); }
  // Where the wall clock was set, or some minutes have gone by.
  void read_again() { now_ = base::read_both(CLOCK_REALTIME); }
  std::int64_t realtime_ns(std::uint64_t ticks) const {
    const auto since = static_cast<std::int64_t>(ticks - now_.ticks);
    const std::uint64_t ns = rate().to_ns(since < 0 ? now_.ticks - ticks : ticks - now_.ticks);
    return static_cast<std::int64_t>(since < 0 ? now_.ns - ns : now_.ns + ns);
  }

 private:
  // Of the machine: measured once, where the kernel does not tell it.
  static const base::CounterClock& rate() {
    static const base::CounterClock rate = base::calibrate();
    return rate;
  }

  base::Moment now_;
};

}  // namespace maxlat::sensors
