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
// OVERWRITTEN is the oldest event. DROPPED, and noted, is one that meets another in its slot: a post that has been
// under way for a whole lap, or, when it was held up itself as long, a later event.
// MEMORY: for each slot 32 bytes and the largest of the events, in multiples of 32; it lies in the program's file, too.
// COST of a post of three 64-bit fields: 43 instructions, the counter's read and the CPU among them; of a shared list
// two are locked. sensors/cost_test.cpp counts them. Longest way: MAXLAT_EVENT_ATTEMPTS claims that others overtake.
// ERRORS: none when it runs. Names of events, fields and labels of more than 39 letters, or of others than
// [A-Za-z0-9_], do not compile.
// THREADS, SIGNALS: EventList: one thread and its signal handlers; SharedEventList: all threads. Async-signal-safe,
// never waits, calls the kernel only where the C library does not know the CPU (trace/current_cpu.hpp).
#pragma once

#include <maxlat/sensors/event_list_types.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <maxlat/sensors/sensors.hpp>
#include <maxlat/trace/current_cpu.hpp>
#include <maxlat/trace/event.hpp>
#include <maxlat/trace/probe.hpp>
#include <span>
#include <string_view>
#include <type_traits>

namespace maxlat::sensors {
namespace detail {

// Numbers in shared memory.
static_assert(static_cast<int>(trace::FieldKind::integer) == 0 && static_cast<int>(trace::FieldKind::floating) == 1 &&
              static_cast<int>(trace::FieldKind::array) == 2 && static_cast<int>(trace::FieldKind::sequence) == 3 &&
              static_cast<int>(trace::FieldKind::string) == 4 && static_cast<int>(trace::FieldKind::enumeration) == 5);

// The most bytes that an event's payload takes.
constexpr std::size_t largest_payload(std::span<const trace::Field> fields) {
  std::size_t size = 0;
  for (const trace::Field& field : fields) {
    switch (field.kind) {
      case trace::FieldKind::array:
        size += std::size_t{field.bytes} * field.count;
        break;
      case trace::FieldKind::sequence:
        size += sizeof(std::uint16_t) + std::size_t{field.bytes} * field.count;
        break;
      case trace::FieldKind::string:
        size += std::size_t{field.count} + 1;
        break;
      default:
        size += field.bytes;
    }
  }
  return size;
}

constexpr std::size_t labels_in(std::span<const trace::Field> fields) {
  std::size_t labels = 0;
  for (const trace::Field& field : fields) labels += field.labels.size();
  return labels;
}

constexpr bool have_room(const trace::EventDescription& event) {
  const auto fits = [](std::string_view name) {
    return name.size() < MAXLAT_EVENT_NAME && trace::detail::is_identifier(name);
  };
  for (const trace::Field& field : event.fields) {
    if (!fits(field.name)) return false;
    for (const trace::Label& label : field.labels)
      if (!fits(label.name)) return false;
  }
  return fits(event.provider) && fits(event.name);
}

constexpr void copy_name(char (&to)[MAXLAT_EVENT_NAME], std::string_view from) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i];
}

// The tables between a list and its slots.
template <std::size_t kTypes, std::size_t kFields, std::size_t kLabels>
struct EventTables {
  constexpr explicit EventTables(const trace::EventDescription* const (&events)[kTypes]) {
    std::size_t type = 0, field = 0, label = 0;
    for (const trace::EventDescription* event : events) {
      copy_name(types[type].provider, event->provider);
      copy_name(types[type].name, event->name);
      types[type].level = static_cast<std::uint32_t>(event->level);
      types[type++].fields = static_cast<std::uint32_t>(event->fields.size());
      for (const trace::Field& from : event->fields) {
        fill(fields[field++], from);
        for (const trace::Label& each : from.labels) {
          labels[label].value = each.value;
          copy_name(labels[label++].name, each.name);
        }
      }
    }
  }
  static constexpr void fill(maxlat_event_field& to, const trace::Field& from) {
    copy_name(to.name, from.name);
    to.kind = static_cast<std::uint8_t>(from.kind);
    to.bytes = from.bytes;
    to.is_signed = from.is_signed;
    to.is_float = from.is_float;
    to.is_hex = from.is_hex;
    to.count = from.count;
    to.labels = static_cast<std::uint16_t>(from.labels.size());
  }

  maxlat_event_type types[kTypes]{};
  maxlat_event_field fields[kFields]{};
  maxlat_event_label labels[kLabels]{};
};

// Writes the fields of an event into its slot, in whole words, of which the last is filled up with zeros. They are
// made in words of our own, which the compiler keeps in registers where all fields are fixed.
template <std::size_t kFixed, std::size_t kMost, class... Types, class... Given>
[[gnu::always_inline]] inline void store_fields(maxlat_event_place place, trace::detail::FieldTypes<void, Types...>,
                                                const Given&... fields) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  [[maybe_unused]] std::uint64_t words[kMost / kWord + 2];
  [[maybe_unused]] auto* const begin = reinterpret_cast<std::uint8_t*>(words);
  if constexpr (kFixed % kWord != 0) words[kFixed / kWord] = 0;
  [[maybe_unused]] std::uint8_t* to = begin;
  ((to = trace::detail::FieldType<Types>::store(to, fields)), ...);
  if constexpr (kFixed == 0 && kMost != 0) std::memset(to, 0, kWord);
  const std::size_t size = kFixed != 0 ? kFixed : static_cast<std::size_t>(to - begin);
  for (std::size_t i = 0; i < (size + kWord - 1) / kWord; ++i) maxlat_event_store(place, i, words[i]);
}

}  // namespace detail

template <maxlat_sensor_writers kWriters, std::size_t kSlots, class... Named>
class EventListOf {
  static_assert(std::has_single_bit(kSlots) && kSlots <= MAXLAT_EVENT_MAX_SLOTS, "slots: a power of two");
  static_assert(sizeof...(Named) > 0 && sizeof...(Named) <= MAXLAT_EVENT_MAX_TYPES, "1 to 64 types of events");
  static_assert((detail::have_room(Named::Event::kDescription) && ...), "a name has at most 39 letters, of [A-Za-z0-9_]");

  template <class Posted>
  static constexpr std::size_t kLargest = detail::largest_payload(Posted::Event::kDescription.fields);
  template <class Posted>
  static constexpr std::size_t kFixed = trace::detail::fixed_size(Posted::Event::kDescription.fields);
  static constexpr maxlat_event_shape kShape{
      kSlots, maxlat_event_slot_size(std::max({kLargest<Named>...})), sizeof...(Named),
      std::max<std::size_t>(1, (Named::Event::kDescription.fields.size() + ...)),
      std::max<std::size_t>(1, (detail::labels_in(Named::Event::kDescription.fields) + ...))};
  static_assert(kShape.slot_size <= MAXLAT_EVENT_MAX_SLOT_SIZE, "an event of the list is too large");
  static_assert(kShape.fields <= MAXLAT_EVENT_MAX_FIELDS && kShape.labels <= MAXLAT_EVENT_MAX_LABELS);

  template <class Posted>
  static constexpr std::uint32_t number_of() {
    constexpr bool kIsIt[] = {std::is_same_v<Posted, Named>...};
    return static_cast<std::uint32_t>(std::find(std::begin(kIsIt), std::end(kIsIt), true) - std::begin(kIsIt));
  }

 public:
  constexpr EventListOf(const Name& name, const About& about = "")
      : list_{.sensor = detail::head(MAXLAT_SENSOR_EVENTS, MAXLAT_EVENT_LIST_VERSION, maxlat_event_list_size(kShape),
                                     kWriters, name, "", about, {kSlots, maxlat_event_shape_word(kShape)}),
              .next = 0,
              .dropped = 0,
              .unused = {}},
        tables_({&Named::Event::kDescription...}) {
    static_assert(sizeof(EventListOf) == maxlat_event_list_size(kShape));
  }

  // By MAXLAT_POST. `Posted`: one of the list's.
  template <class Posted>
  [[gnu::always_inline]] void post(const typename Posted::Event::Values& values) {
    constexpr std::uint32_t kNumber = number_of<Posted>();
    static_assert(kNumber < sizeof...(Named), "this list has no events of that type");
    maxlat_event_place place;
    if (MAXLAT_UNLIKELY(!maxlat_event_claim(kWriters, &list_, {slots_, kSlots, kShape.slot_size}, &place))) return;
    Posted::Event::give(values, [&](auto types, const auto&... fields) {
      detail::store_fields<kFixed<Posted>, kLargest<Posted>>(place, types, fields...);
    });
    maxlat_event_commit(place, kNumber, trace::detail::current_cpu());
  }

 private:
  maxlat_event_list list_;
  detail::EventTables<kShape.types, kShape.fields, kShape.labels> tables_;
  alignas(64) std::uint64_t slots_[kSlots * kShape.slot_size / sizeof(std::uint64_t)]{};
};

template <std::size_t kSlots, class... Named>
using EventList = EventListOf<kThread, kSlots, Named...>;
template <std::size_t kSlots, class... Named>
using SharedEventList = EventListOf<kShared, kSlots, Named...>;

}  // namespace maxlat::sensors

// An event that MAXLAT_TRACE_EVENT declared, as a list's template argument.
#define MAXLAT_LISTED_EVENT(provider, name) MaxlatNamedEvent_##provider##_##name

// Posts an event to a list that has its type. Arguments are those of MAXLAT_TRACE, and checked as there; they are
// always evaluated, once.
#define MAXLAT_POST(list, provider, name, ...)                                           \
  do {                                                                                   \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wnarrowing\"")(list) \
        .template post<MAXLAT_LISTED_EVENT(provider, name)>(                             \
            {__VA_ARGS__ __VA_OPT__(, )::maxlat::trace::EndOfFields{0}});                \
    _Pragma("GCC diagnostic pop")                                                        \
  } while (false)
