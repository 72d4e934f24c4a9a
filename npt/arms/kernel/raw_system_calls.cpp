// SPDX-License-Identifier: MIT
#include "raw_system_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace maxlat::npt {
namespace {

constexpr size_t kWord = sizeof(uint64_t);

core::Result<attribution::EventFormat> format_with(const std::string& events, const std::string& name,
                                                   std::string_view second_field) {
  auto format = attribution::read_event_format(events, name);
  if (!format) return format.error();
  if (!*format) return core::cannot_run(fmt::format("this kernel has no event {}", name));
  for (const std::string_view field : {std::string_view("id"), second_field})
    if ((*format)->field(field) == nullptr)
      return core::cannot_run(fmt::format("the kernel's event {} has no field {}", name, field));
  return **std::move(format);
}

// Nothing: the record is too short for it.
std::optional<uint64_t> number_of(const attribution::EventFormat& format, std::string_view field,
                                  std::span<const std::byte> record, size_t place = 0) {
  const auto bytes = format.field(field)->in(record);
  if (!bytes || bytes->size() < (place + 1) * kWord) return {};
  return attribution::word_of(bytes->subspan(place * kWord, kWord));
}

}  // namespace

core::Result<RawSystemCalls> RawSystemCalls::of(const std::string& events) {
  auto enter = format_with(events, "raw_syscalls/sys_enter", "args");
  if (!enter) return enter.error();
  auto exit = format_with(events, "raw_syscalls/sys_exit", "ret");
  if (!exit) return exit.error();
  RawSystemCalls calls;
  calls.enter_ = *std::move(enter);
  calls.exit_ = *std::move(exit);
  return calls;
}

void RawSystemCalls::take(unsigned cpu, std::span<const std::byte> record, CallCount& calls) const {
  const uint64_t event = record.size() < sizeof enter_.id ? 0 : attribution::word_of(record.first(sizeof enter_.id));
  if (event == enter_.id) {
    const auto call = number_of(enter_, "id", record);
    const auto mark = number_of(enter_, "args", record, 0), number = number_of(enter_, "args", record, 1);
    if (call && mark && number) return calls.enter(cpu, static_cast<int64_t>(*call), *mark, *number);
  }
  if (event == exit_.id) {
    if (const auto call = number_of(exit_, "id", record)) return calls.exit(cpu, static_cast<int64_t>(*call));
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
