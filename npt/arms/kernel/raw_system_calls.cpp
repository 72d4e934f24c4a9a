// SPDX-License-Identifier: MIT
#include "raw_system_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace maxlat::npt {
namespace {

constexpr size_t kWord = sizeof(uint64_t);

// Nothing: the record is too short for it.
std::optional<uint64_t> number_of(const attribution::FormatField& field, std::span<const std::byte> record,
                                  size_t place = 0) {
  const auto bytes = field.in(record);
  if (!bytes || bytes->size() < (place + 1) * kWord) return {};
  return attribution::word_of(bytes->subspan(place * kWord, kWord));
}

}  // namespace

core::Result<RawSystemCalls::Event> RawSystemCalls::event_of(const std::string& events, const std::string& name,
                                                             std::string_view second) {
  const auto format = attribution::read_event_format(events, name);
  if (!format) return format.error();
  if (!*format) return core::cannot_run(fmt::format("this kernel has no event {}", name));
  Event event;
  event.id = (*format)->id;
  for (const auto& [field, to] : {std::pair(std::string_view("id"), &event.call), {second, &event.second}}) {
    const attribution::FormatField* const found = (*format)->field(field);
    if (found == nullptr) return core::cannot_run(fmt::format("the kernel's event {} has no field {}", name, field));
    *to = *found;
  }
  return event;
}

core::Result<RawSystemCalls> RawSystemCalls::of(const std::string& events) {
  const auto enter = event_of(events, "raw_syscalls/sys_enter", "args");
  if (!enter) return enter.error();
  const auto exit = event_of(events, "raw_syscalls/sys_exit", "ret");
  if (!exit) return exit.error();
  RawSystemCalls calls;
  calls.enter_ = *enter;
  calls.exit_ = *exit;
  return calls;
}

void RawSystemCalls::take(unsigned cpu, std::span<const std::byte> record, CallCount& calls) const {
  const uint64_t event = record.size() < sizeof enter_.id ? 0 : attribution::word_of(record.first(sizeof enter_.id));
  if (event == enter_.id) {
    const auto call = number_of(enter_.call, record);
    const auto mark = number_of(enter_.second, record, 0), number = number_of(enter_.second, record, 1);
    if (call && mark && number) return calls.enter(cpu, static_cast<int64_t>(*call), *mark, *number);
  }
  if (event == exit_.id) {
    if (const auto call = number_of(exit_.call, record)) return calls.exit(cpu, static_cast<int64_t>(*call));
  }
  calls.other_event();
}

core::Result<std::vector<std::string>> events_of_tracefs(const std::string& events,
                                                         const std::vector<std::string>& patterns) {
  std::set<std::string> names;
  for (const std::string& pattern : patterns) {
    const auto matching = attribution::matching_events(events, std::span(&pattern, 1));
    if (matching.empty()) return core::cannot_run(fmt::format("this kernel has no event \"{}\"", pattern));
    names.insert(matching.begin(), matching.end());
  }
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace maxlat::npt
