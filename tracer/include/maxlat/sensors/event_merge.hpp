// SPDX-License-Identifier: MIT
//
// The events of any lists, of any groups and programs, as one sequence: by time, then by CPU, list and position.
//
//   EventMerge merge({.patience = clock.to_ticks(100'000'000)});
//   const std::size_t moves = merge.add(group, sensor);                       also later
//   merge.round(maxlat_counter_plain(), [](const MergedEvent& one) { ... });  again and again
//   merge.finish(...);                                                        and what is left, in the end
//
// THE HORIZON. A post reads the time first, and its event is visible a moment later. So events may become visible out
// of order, and an event is handed out only when all earlier ones must have come:
//
//   (1) it is older than the patience; and
//   (2) no list waits for a post that began before it and has not ended. A list that waits holds up the others, until
//       their events are as old as twice the patience.
//
// An event that comes out of order all the same, because its program was delayed for longer, is handed out at once,
// and marked late. The same holds for events that went out before the horizon because a list had more than
// `most_held` of them.
//
// BOOKS, exact for each list: those of its reader (event_reader.hpp), where delivered and late are what was handed out
// here, and what is held is pending.
// BOUNDS: a round takes of each list what was there when it looked. MEMORY: what is held, `most_held` of each list
// between two rounds; within one also all that came since the last. A hostile program has 4 KiB kept for each of its
// slots.
// TRUST: as EventReader. A time that lies in the future counts as that at which it was read.
// OWNERSHIP: it keeps the lists' memory until they have ended and are read. THREADS: one a merge.
// SOURCE: Pohlack 2010, section 3.2.2.3, merge_mon, whose algorithm is not told there. The horizon is ours.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <maxlat/sensors/event_reader.hpp>
#include <optional>
#include <tuple>
#include <vector>

namespace maxlat::sensors {

// Valid while it is handed out.
struct MergedEvent {
  std::size_t list = 0;           // its number
  ListedEvent event;              // late: behind what was handed out before, of whatever list
  std::uint64_t lost_before = 0;  // posts of its list that are lost, since the event of this list that was read before
};

struct EventMergeOptions {
  std::uint64_t patience = 0;  // in ticks of the counter
  std::size_t most_held = 1 << 18;
};

class EventMerge {
 public:
  using Take = std::function<void(const MergedEvent&)>;

  explicit EventMerge(const EventMergeOptions& options) : options_(options) {}

  // From the oldest event that is still there on. REQUIRES: a list of events of that group. RETURNS: its number, from
  // 0.
  std::size_t add(const GroupView& group, const SensorFacts& list);
  // Nobody posts to it any more: its posts that have not ended never will, and hold up nothing.
  void end(std::size_t list) { lists_[list].ended = true; }
  // It has, and everything of it is handed out.
  bool is_over(std::size_t list) const { return !lists_[list].reader; }

  // Reads what has come, and hands out what the horizon allows. `now`: the counter, read before this.
  void round(std::uint64_t now, const Take& take);
  // Likewise, and then hands out everything. Nothing is waited for.
  void finish(const Take& take);

  EventBooks books(std::size_t list) const;
  // Of the lost posts those that no event has told: they were the last until now.
  std::uint64_t lost_since_last(std::size_t list) const;
  std::size_t held() const;
  // REQUIRES: it is not over.
  const std::vector<trace::EventDescription>& types(std::size_t list) const { return lists_[list].reader->types(); }

 private:
  struct Stamp {
    std::uint64_t time = 0;
    std::uint32_t cpu = 0;
    std::size_t list = 0;
    std::uint64_t position = 0;
    auto operator<=>(const Stamp&) const = default;
  };
  struct Held {
    Stamp stamp;
    MergedEvent merged;
    std::vector<std::uint8_t> payload;
  };
  struct List {
    std::optional<EventReader> reader;  // none: it is over
    std::deque<Held> held;              // by stamp
    std::uint64_t last_time = 0;        // of those that were read in order
    std::uint64_t lost = 0;             // so far, as events have told it
    std::uint64_t delivered = 0, late = 0;
    bool ended = false;
    EventBooks last_books;  // when it is over
  };
  class Source;

  void read(std::size_t number, std::uint64_t now);
  void hold(std::size_t number, const ListedEvent& event);
  std::uint64_t horizon(std::uint64_t now) const;
  void hand_out(std::uint64_t horizon, const Take& take);
  void close_ended();

  EventMergeOptions options_;
  std::deque<List> lists_;
  std::vector<std::vector<std::uint8_t>> spare_;  // for payloads
  Stamp last_;                                    // that was handed out
  std::uint64_t latest_ = 0;                      // no event that is read now was posted later
};

}  // namespace maxlat::sensors
