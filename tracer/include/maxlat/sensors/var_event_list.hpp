// SPDX-License-Identifier: MIT
//
// A list of the last events whose sizes differ: texts, sequences. Each takes 64 bytes and what it has, in multiples of
// 8, where an EventList (event_list.hpp) has room for the largest in every slot.
//
//   MAXLAT_TRACE_EVENT(robot, said, (std::uint32_t, axis), (maxlat::trace::String<1000>, text))
//
//   struct RobotSensors {
//     maxlat::sensors::VarEventList<512, 16384, MAXLAT_LISTED_EVENT(robot, said)> log{"log", "what was said"};
//   };
//   MAXLAT_SENSORS(robot, RobotSensors)
//
//   MAXLAT_POST(robot->log, robot, said, axis, text);
//
// The list has the last kSlots events, or as many of them as fit into kBytes. What is written, and what readers may
// rely on: var_event_list.h.
// REFUSED, and counted, is an event that has more than kBytes. Also DROPPED is one that meets bytes which a post that
// it interrupted is writing, a whole lap later; otherwise as in an EventList. A type that may have more than 4064
// bytes, or never has room, does not compile.
// MEMORY: 64 bytes a slot, and the ring; it lies in the program's file, too. A post has the largest of the event on its
// stack: 4 KiB at the most.
// COST of a post of three 64-bit fields: 69 instructions; of a text beside what copies it. What is in the list makes
// no difference (sensors/cost_test.cpp).
// ERRORS: as of an EventList.
// THREADS, SIGNALS: one thread and its signal handlers. Async-signal-safe, never waits.
#pragma once

#include <maxlat/sensors/event_list_types.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <maxlat/sensors/listed_types.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <maxlat/trace/current_cpu.hpp>
#include <utility>

namespace maxlat::sensors {

template <std::size_t kSlots, std::size_t kBytes, class... Named>
class VarEventList {
  static_assert(std::has_single_bit(kSlots) && kSlots <= MAXLAT_EVENT_MAX_SLOTS, "slots: a power of two");
  static_assert(std::has_single_bit(kBytes) && kBytes >= 64 && kBytes <= MAXLAT_EVENT_MAX_RING,
                "bytes: a power of two, from 64 to 2^25");

  using Types = detail::ListedTypes<Named...>;
  static_assert(Types::kMostOfAll <= MAXLAT_EVENT_MAX_PAYLOAD, "an event of the list is too large");
  static_assert(((detail::payload_with(detail::Elements::none, Named::Event::kDescription.fields) <=
                  maxlat_var_event_most(kBytes)) &&
                 ...),
                "an event of the list never has room in its bytes");
  static constexpr maxlat_event_shape kShape{
      kSlots, sizeof(maxlat_var_event_slot), Types::kTypes, Types::kFields, Types::kLabels, kBytes};

 public:
  constexpr VarEventList(const Name& name, const About& about = "")
      : list_(detail::list_head(MAXLAT_SENSOR_VAR_EVENTS, MAXLAT_VAR_EVENT_LIST_VERSION, kThread, name, about, kShape)),
        tables_(Types::tables()) {
    static_assert(sizeof(VarEventList) == maxlat_event_list_size(kShape));
  }

  // By MAXLAT_POST. `Posted`: one of the list's.
  template <class Posted>
  [[gnu::always_inline]] void post(const typename Posted::Event::Values& values) {
    constexpr std::uint32_t kNumber = Types::template number_of<Posted>();
    Posted::Event::give(values, [&](auto types, const auto&... fields) {
      std::uint64_t words[Types::template kStaged<Posted>];
      const std::size_t size =
          detail::stage_fields<Types::template kFixed<Posted>, Types::template kMost<Posted>>(words, types, fields...);
      maxlat_var_event_place place;
      const maxlat_event_ring ring{ring_, kBytes};
      if (MAXLAT_UNLIKELY(!maxlat_var_event_claim(&list_, {slots_, kSlots, kShape.slot_size}, ring, size, &place)))
        return;
      if constexpr (Types::template kFixed<Posted> != 0) {
        // Not a loop: each word stays in its register.
        [&]<std::size_t... kWord>(std::index_sequence<kWord...>) {
          (maxlat_var_event_store(ring, place, kWord, words[kWord]), ...);
        }
        (std::make_index_sequence<detail::words_of(Types::template kFixed<Posted>)>());
      } else {
        for (std::size_t i = 0; i < detail::words_of(size); ++i) maxlat_var_event_store(ring, place, i, words[i]);
      }
      maxlat_var_event_commit(&list_, place, kNumber, trace::detail::current_cpu());
    });
  }

 private:
  maxlat_event_list list_;
  typename Types::Tables tables_;
  alignas(64) maxlat_var_event_slot slots_[kSlots]{};
  std::uint64_t ring_[kBytes / sizeof(std::uint64_t)]{};
};

}  // namespace maxlat::sensors
