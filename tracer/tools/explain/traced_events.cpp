// SPDX-License-Identifier: MIT
#include "traced_events.hpp"

#include <algorithm>
#include <maxlat/attribution/lttng_names.hpp>
#include <maxlat/trace/field_values.hpp>
#include <string>
#include <utility>

namespace maxlat::trace_tools {
namespace {

using attribution::EventMeaning;

// Null: there is no such field.
template <class Take>
void find_field(const trace::RecordedEvent& event, std::string_view name, const Take& take) {
  trace::FieldValues values(event.type->fields, event.payload);
  for (trace::FieldValue value; values.next(value);)
    if (value.field->name == name) return take(value);
}

}  // namespace

const std::vector<TracedMeaning>& traced_meanings() {
  static const std::vector<TracedMeaning> all = [] {
    std::vector<TracedMeaning> meanings;
    for (const EventMeaning& meaning : attribution::event_meanings()) {
      const std::size_t slash = meaning.name.find('/');
      const std::string system = meaning.name.substr(0, slash);
      const auto named = [&](const char* field) {
        return field == nullptr ? std::nullopt : std::optional(attribution::lttng_field_name(system, field));
      };
      meanings.push_back(
          {.meaning = &meaning,
           .event = attribution::lttng_event_name(system, std::string_view(meaning.name).substr(slash + 1)),
           .number = named(meaning.number),
           .value = named(meaning.value),
           .priority = named(meaning.priority),
           .text = named(meaning.text)});
    }
    return meanings;
  }();
  return all;
}

const TracedMeaning* meaning_in_trace(std::string_view event) {
  const auto& all = traced_meanings();
  const auto found = std::find_if(all.begin(), all.end(), [&](const TracedMeaning& one) { return one.event == event; });
  return found == all.end() ? nullptr : &*found;
}

TracedEvents::Layout TracedEvents::layout_of(const trace::EventType& type) {
  Layout layout{.looked_up = true};
  const TracedMeaning* const traced = meaning_in_trace(type.name);
  if (traced == nullptr) return layout;
  const std::pair<const std::optional<std::string>*, std::size_t*> fields[] = {{&traced->number, &layout.number},
                                                                               {&traced->value, &layout.value},
                                                                               {&traced->priority, &layout.priority},
                                                                               {&traced->text, &layout.text}};
  for (const auto& [name, place] : fields) {
    if (!*name) continue;
    const auto found = std::find_if(type.fields.begin(), type.fields.end(),
                                    [wanted = **name](const trace::Field& one) { return one.name == wanted; });
    if (found == type.fields.end()) return layout;
    *place = static_cast<std::size_t>(found - type.fields.begin());
  }
  layout.meaning = traced->meaning;
  return layout;
}

std::optional<attribution::KernelEvent> TracedEvents::decode(const trace::RecordedEvent& event) {
  if (by_type_.size() <= event.type->number) by_type_.resize(event.type->number + 1);
  Layout& layout = by_type_[event.type->number];
  if (!layout.looked_up) layout = layout_of(*event.type);
  if (layout.meaning == nullptr) return {};
  attribution::KernelEvent one{.tick = event.ticks,
                               .number = static_cast<std::int32_t>(layout.meaning->use),
                               .running = static_cast<std::int32_t>(event.thread.value_or(0)),
                               .kind = layout.meaning->kind};
  trace::FieldValues values(event.type->fields, event.payload);
  std::size_t i = 0;
  for (trace::FieldValue value; values.next(value); ++i) {
    if (i == layout.text) {
      one.name = attribution::ShortName(value.text());
      continue;
    }
    if (value.count != 1 || value.is_floating()) continue;
    if (i == layout.number) one.number = static_cast<std::int32_t>(value.unsigned_at(0));
    if (i == layout.value) one.value = value.unsigned_at(0);
    if (i == layout.priority) one.priority = static_cast<std::int32_t>(value.unsigned_at(0));
  }
  if (values.broken()) return {};
  return one;
}

std::optional<std::uint64_t> number_field(const trace::RecordedEvent& event, std::string_view name) {
  std::optional<std::uint64_t> number;
  find_field(event, name, [&](const trace::FieldValue& value) {
    if (value.field->kind == trace::FieldKind::integer) number = value.unsigned_at(0);
  });
  return number;
}

std::optional<std::string_view> text_field(const trace::RecordedEvent& event, std::string_view name) {
  std::optional<std::string_view> text;
  find_field(event, name, [&](const trace::FieldValue& value) {
    if (value.field->kind == trace::FieldKind::string) text = value.text();
  });
  return text;
}

}  // namespace maxlat::trace_tools
