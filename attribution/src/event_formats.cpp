// SPDX-License-Identifier: MIT
#include "event_formats.hpp"

#include <fmt/format.h>

#include <utility>

namespace maxlat::attribution {

core::Status EventFormats::add(const std::string& events, const EventMeaning& meaning) {
  const auto format = read_event_format(events, meaning.name);
  if (!format) return format.error();
  if (!*format) return {};
  Layout layout{.meaning = &meaning};
  const std::pair<const char*, std::optional<FormatField>*> fields[] = {{meaning.number, &layout.number},
                                                                        {meaning.value, &layout.value},
                                                                        {meaning.priority, &layout.priority},
                                                                        {meaning.text, &layout.text},
                                                                        {kThreadField, &layout.running}};
  for (const auto& [name, place] : fields) {
    if (name == nullptr) continue;
    const FormatField* const field = (*format)->field(name);
    if (field == nullptr)
      return core::cannot_run(
          fmt::format("this kernel's event {} is not as maxlat knows it: no field {}", meaning.name, name));
    *place = *field;
  }
  if (by_number_.size() <= (*format)->id) by_number_.resize((*format)->id + size_t{1});
  by_number_[(*format)->id] = layout;
  names_.push_back(meaning.name);
  return {};
}

core::Result<EventFormats> EventFormats::read(const std::string& events, bool timers_set) {
  static const EventMeaning timer_set{"timer/hrtimer_start", EventKind::timer_set, nullptr, "expires"};
  EventFormats formats;
  for (const EventMeaning& meaning : event_meanings())
    if (core::Status added = formats.add(events, meaning); !added) return added.error();
  if (timers_set)
    if (core::Status added = formats.add(events, timer_set); !added) return added.error();
  if (formats.names_.empty() || formats.names_.front() != event_meanings().front().name)
    return core::cannot_run("this kernel has no event sched_switch (CONFIG_FTRACE)");
  return formats;
}

std::optional<KernelEvent> EventFormats::decode(uint64_t tick, std::span<const std::byte> record) const {
  if (record.size() < 2) return {};
  const uint64_t id = word_of(record.first(2));
  if (id >= by_number_.size() || by_number_[id].meaning == nullptr) return {};
  const Layout& layout = by_number_[id];
  const auto bytes_of = [&](const std::optional<FormatField>& field) {
    return field ? field->in(record) : std::span<const std::byte>();
  };
  const auto number = bytes_of(layout.number), value = bytes_of(layout.value), priority = bytes_of(layout.priority),
             text = bytes_of(layout.text), running = bytes_of(layout.running);
  if (!number || !value || !priority || !text || !running) return {};
  return KernelEvent{
      .tick = tick,
      .value = word_of(*value),
      .number = layout.number ? static_cast<int32_t>(word_of(*number)) : static_cast<int32_t>(layout.meaning->use),
      .priority = static_cast<int32_t>(word_of(*priority)),
      .running = static_cast<int32_t>(word_of(*running)),
      .kind = layout.meaning->kind,
      .name = ShortName({reinterpret_cast<const char*>(text->data()), text->size()})};
}

}  // namespace maxlat::attribution
