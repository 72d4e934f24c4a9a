// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <maxlat/trace/kernel/kernel_events.hpp>
#include <type_traits>

#include "session/pattern.hpp"

namespace maxlat::trace {
namespace {

// clang-format off
#define PLACE(kind, field) {#field, KernelFieldKind::kind, offsetof(Record, field), sizeof(Record::field)},
#define NUMBER(type, field) PLACE(number, field)
#define ADDRESS(field) PLACE(address, field)
#define TEXT(field) PLACE(text, field)
#define FIELDS_OF(record)                                              \
  struct fields_of_##record {                                          \
    using Record = maxlat_kernel_##record;                             \
    static constexpr KernelField all[] = {MAXLAT_FIELDS_##record(NUMBER, ADDRESS, TEXT)}; \
  };
MAXLAT_KERNEL_RECORDS(FIELDS_OF)
#undef FIELDS_OF
#undef TEXT
#undef ADDRESS
#undef NUMBER
#undef PLACE

constexpr KernelEventType kTypes[] = {
#define ROW(id, group, name, record) \
  {id, #group, #name, sizeof(maxlat_kernel_##record), fields_of_##record::all},
    MAXLAT_KERNEL_EVENTS(ROW)
#undef ROW
};
// clang-format on

constexpr bool ids_are_places() {
  for (std::size_t i = 0; i < std::size(kTypes); ++i)
    if (kTypes[i].id != i + 1) return false;
  return std::size(kTypes) == MAXLAT_KERNEL_EVENT_COUNT && std::size(kTypes) <= 64;
}
static_assert(ids_are_places(), "a bit for each, without a hole");

std::string full_name(const KernelEventType& type) {
  return std::string(type.group) + ":" + std::string(type.name);
}

// What is not signed keeps its zeros above.
template <typename Signed>
std::int64_t value_at(const std::uint8_t* from, KernelFieldKind kind) {
  Signed value = 0;
  std::memcpy(&value, from, sizeof value);
  if (kind == KernelFieldKind::number) return value;
  return static_cast<std::int64_t>(std::uint64_t{static_cast<std::make_unsigned_t<Signed>>(value)});
}

}  // namespace

std::span<const KernelEventType> kernel_event_types() {
  return kTypes;
}

std::uint64_t kernel_events_matching(std::string_view pattern) {
  std::uint64_t events = 0;
  for (const KernelEventType& type : kTypes)
    if (detail::matches(pattern, full_name(type))) events |= type.bit();
  return events;
}

std::vector<std::string> kernel_event_names(std::uint64_t events) {
  std::vector<std::string> names;
  for (const KernelEventType& type : kTypes)
    if ((events & type.bit()) != 0) names.push_back(full_name(type));
  return names;
}

std::int64_t KernelRecord::number(const KernelField& field) const {
  const std::uint8_t* const from = payload + field.offset;
  switch (field.bytes) {
    case 1:
      return value_at<std::int8_t>(from, field.kind);
    case 2:
      return value_at<std::int16_t>(from, field.kind);
    case 4:
      return value_at<std::int32_t>(from, field.kind);
    default:
      return value_at<std::int64_t>(from, field.kind);
  }
}

std::string_view KernelRecord::text(const KernelField& field) const {
  const std::string_view all(reinterpret_cast<const char*>(payload) + field.offset, field.bytes);
  return all.substr(0, std::min(all.find('\0'), all.size()));
}

}  // namespace maxlat::trace
