// SPDX-License-Identifier: MIT
//
// A list of the last events, which any number of monitors may read while the program goes on: what it did just now.
// Events are those of MAXLAT_TRACE_EVENT (maxlat/trace/event.hpp), and a list has one or several types of them.
//
//   MAXLAT_TRACE_EVENT(motor, step, (std::uint32_t, axis), (double, position_mm))
//
//   struct RobotSensors {
//     maxlat::sensors::EventList<1024, MAXLAT_LISTED_EVENT(motor, step)> steps{"steps", "each step of an axis"};
//   };
//   MAXLAT_SENSORS(robot, RobotSensors)
//
//   MAXLAT_POST(robot->steps, motor, step, axis, position);
//
// A post is kept whether or not anybody looks, until as many events have come after it as the list has slots. A
// tracepoint of the same event (MAXLAT_TRACE) asks first whether somebody records, and then all of them are kept.
//
// What is written, and what readers may rely on: event_list.h. How a list describes its events: event_list_types.h.
// OVERWRITTEN is the oldest event. DROPPED, and noted, is an event whose slot is taken: by a post that has been
// in progress for a whole lap (a pass through all slots), or, if this post itself was delayed for so long, by a
// later event.
// MEMORY: for each slot 32 bytes and the largest of the events, in multiples of 32; it lies in the program's file, too.
// COST of a post of three 64-bit fields: 43 instructions, the counter's read and the CPU among them; of a shared list
// two are locked. sensors/cost_test.cpp counts them. Longest way: MAXLAT_EVENT_ATTEMPTS claims that others overtake.
// ERRORS: none when it runs. Names of events, fields and labels of more than 39 letters, or of others than
// [A-Za-z0-9_], do not compile.
// THREADS, SIGNALS: EventList: one thread and its signal handlers; SharedEventList: all threads. Async-signal-safe,
// never waits, calls the kernel only where the C library does not know the CPU (trace/current_cpu.hpp).
#pragma once

#include <maxlat/sensors/event_list_types.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <maxlat/sensors/listed_types.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <maxlat/trace/current_cpu.hpp>

namespace maxlat::sensors {

template <maxlat_sensor_writers kWriters, std::size_t kSlots, class... Named>
class EventListOf {
  static_assert(std::has_single_bit(kSlots) && kSlots <= MAXLAT_EVENT_MAX_SLOTS, "slots: a power of two");

  using Types = detail::ListedTypes<Named...>;
  static constexpr maxlat_event_shape kShape{
      kSlots, maxlat_event_slot_size(Types::kMostOfAll), Types::kTypes, Types::kFields, Types::kLabels, 0};
  static_assert(kShape.slot_size <= MAXLAT_EVENT_MAX_SLOT_SIZE, "an event of the list is too large");

 public:
  constexpr EventListOf(const Name& name, const About& about = "")
      : list_(detail::list_head(MAXLAT_SENSOR_EVENTS, MAXLAT_EVENT_LIST_VERSION, kWriters, name, about, kShape)),
        tables_(Types::tables()) {
    static_assert(sizeof(EventListOf) == maxlat_event_list_size(kShape));
  }

  // By MAXLAT_POST. `Posted`: one of the list's.
  template <class Posted>
  [[gnu::always_inline]] void post(const typename Posted::Event::Values& values) {
    constexpr std::uint32_t kNumber = Types::template number_of<Posted>();
    maxlat_event_place place;
    if (MAXLAT_UNLIKELY(!maxlat_event_claim(kWriters, &list_, {slots_, kSlots, kShape.slot_size}, &place))) return;
    Posted::Event::give(values, [&](auto types, const auto&... fields) {
      std::uint64_t words[Types::template kStaged<Posted>];
      const std::size_t size =
          detail::stage_fields<Types::template kFixed<Posted>, Types::template kMost<Posted>>(words, types, fields...);
      for (std::size_t i = 0; i < detail::words_of(size); ++i) maxlat_event_store(place, i, words[i]);
    });
    maxlat_event_commit(place, kNumber, trace::detail::current_cpu());
  }

 private:
  maxlat_event_list list_;
  typename Types::Tables tables_;
  alignas(64) std::uint64_t slots_[kSlots * kShape.slot_size / sizeof(std::uint64_t)]{};
};

template <std::size_t kSlots, class... Named>
using EventList = EventListOf<kThread, kSlots, Named...>;
template <std::size_t kSlots, class... Named>
using SharedEventList = EventListOf<kShared, kSlots, Named...>;

}  // namespace maxlat::sensors
