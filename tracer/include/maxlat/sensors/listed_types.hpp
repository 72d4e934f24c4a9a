// SPDX-License-Identifier: MIT
//
// The types of events that a list has, as constants: its tables (event_list_types.h), and how an event becomes words.
#pragma once

#include <maxlat/sensors/event_list_types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <maxlat/sensors/sensors.hpp>
#include <maxlat/trace/event.hpp>
#include <maxlat/trace/probe.hpp>
#include <span>
#include <string_view>
#include <type_traits>

namespace maxlat::sensors::detail {

// Numbers in shared memory.
static_assert(static_cast<int>(trace::FieldKind::integer) == 0 && static_cast<int>(trace::FieldKind::floating) == 1 &&
              static_cast<int>(trace::FieldKind::array) == 2 && static_cast<int>(trace::FieldKind::sequence) == 3 &&
              static_cast<int>(trace::FieldKind::string) == 4 && static_cast<int>(trace::FieldKind::enumeration) == 5);

// The bytes of an event's payload when each of its texts and sequences has so many of the elements that it may have.
enum class Elements { none, all };
constexpr std::size_t payload_with(Elements elements, std::span<const trace::Field> fields) {
  std::size_t size = 0;
  for (const trace::Field& field : fields) {
    const std::size_t varying = elements == Elements::all ? field.count : 0;
    switch (field.kind) {
      case trace::FieldKind::array:
        size += std::size_t{field.bytes} * field.count;
        break;
      case trace::FieldKind::sequence:
        size += sizeof(std::uint16_t) + field.bytes * varying;
        break;
      case trace::FieldKind::string:
        size += varying + 1;
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

// An empty list.
constexpr maxlat_event_list list_head(std::uint16_t kind, std::uint16_t version, maxlat_sensor_writers writers,
                                      const Name& name, const About& about, const maxlat_event_shape& shape) {
  maxlat_event_list made{};
  made.sensor = sensor_head(kind, version, maxlat_event_list_size(shape), writers, name, "", about,
                            {maxlat_event_shape_sizes(shape), maxlat_event_shape_word(shape)});
  return made;
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

// The fields of an event in whole words, of which the last is filled up with zeros. They are words of the caller's own,
// which the compiler keeps in registers where all fields are fixed. RETURNS: how many bytes the fields have.
template <std::size_t kFixed, std::size_t kMost, class... Types, class... Given>
[[gnu::always_inline]] inline std::size_t stage_fields([[maybe_unused]] std::uint64_t* words,
                                                       trace::detail::FieldTypes<void, Types...>,
                                                       const Given&... fields) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  [[maybe_unused]] auto* const begin = reinterpret_cast<std::uint8_t*>(words);
  if constexpr (kFixed % kWord != 0) words[kFixed / kWord] = 0;
  [[maybe_unused]] std::uint8_t* to = begin;
  ((to = trace::detail::FieldType<Types>::store(to, fields)), ...);
  if constexpr (kFixed == 0 && kMost != 0) std::memset(to, 0, kWord);
  return kFixed != 0 ? kFixed : static_cast<std::size_t>(to - begin);
}
constexpr std::size_t words_of(std::size_t bytes) {
  return (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
}

// What a list is told by its types.
template <class... Named>
struct ListedTypes {
  static_assert(sizeof...(Named) > 0 && sizeof...(Named) <= MAXLAT_EVENT_MAX_TYPES, "1 to 64 types of events");
  static_assert((have_room(Named::Event::kDescription) && ...), "a name has at most 39 letters, of [A-Za-z0-9_]");

  static constexpr std::size_t kTypes = sizeof...(Named);
  static constexpr std::size_t kFields = std::max<std::size_t>(1, (Named::Event::kDescription.fields.size() + ...));
  static constexpr std::size_t kLabels = std::max<std::size_t>(1, (labels_in(Named::Event::kDescription.fields) + ...));
  static_assert(kFields <= MAXLAT_EVENT_MAX_FIELDS && kLabels <= MAXLAT_EVENT_MAX_LABELS);
  using Tables = EventTables<kTypes, kFields, kLabels>;
  static constexpr Tables tables() { return Tables({&Named::Event::kDescription...}); }

  // Of an event's payload, in bytes: the most, and what it always is (0: it depends on the values).
  template <class Posted>
  static constexpr std::size_t kMost = payload_with(Elements::all, Posted::Event::kDescription.fields);
  template <class Posted>
  static constexpr std::size_t kFixed = trace::detail::fixed_size(Posted::Event::kDescription.fields);
  static constexpr std::size_t kMostOfAll = std::max({kMost<Named>...});
  template <class Posted>
  static constexpr std::size_t kStaged = kMost<Posted> / sizeof(std::uint64_t) + 2;  // words

  template <class Posted>
  static constexpr std::uint32_t number_of() {
    constexpr bool kIsIt[] = {std::is_same_v<Posted, Named>...};
    constexpr auto kNumber = std::find(std::begin(kIsIt), std::end(kIsIt), true) - std::begin(kIsIt);
    static_assert(kNumber < sizeof...(Named), "this list has no events of that type");
    return static_cast<std::uint32_t>(kNumber);
  }
};

}  // namespace maxlat::sensors::detail

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
