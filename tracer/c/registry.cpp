// SPDX-License-Identifier: MIT
// C's events in the registry of C++'s.
#include <maxlat/trace.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "c/event.hpp"
#include "session/control_lock.hpp"

namespace maxlat::trace::detail {
namespace {

// What stands behind Event::description of an event that C declared.
struct Declared : EventDescription {
  std::vector<Field> elements;
};

FieldKind kind_of(const maxlat_trace_field& field) {
  switch (field.kind) {
    case MAXLAT_TRACE_KIND_TEXT:
      return FieldKind::string;
    case MAXLAT_TRACE_KIND_ARRAY:
      return FieldKind::array;
    case MAXLAT_TRACE_KIND_SEQUENCE:
      return FieldKind::sequence;
    default:
      return field.is_float ? FieldKind::floating : FieldKind::integer;
  }
}

Declared* described(const maxlat_trace_declaration& declaration) {
  auto* const made = new Declared;
  for (std::uint32_t i = 0; i < std::min<std::size_t>(declaration.fields, kMaxFields); ++i) {
    const maxlat_trace_field& field = declaration.field[i];
    made->elements.push_back({field.name, kind_of(field), field.bytes, field.is_signed, field.is_float, field.count});
  }
  made->provider = declaration.provider;
  made->name = declaration.name;
  made->level = static_cast<Level>(declaration.level);
  made->EventDescription::fields = made->elements;
  return made;
}

bool same(const Field& one, const Field& other) {
  return one.name == other.name && one.kind == other.kind && one.bytes == other.bytes &&
         one.is_signed == other.is_signed && one.is_float == other.is_float && one.count == other.count;
}
bool same(const EventDescription& one, const EventDescription& other) {
  return one.level == other.level &&
         std::equal(one.fields.begin(), one.fields.end(), other.fields.begin(), other.fields.end(),
                    [](const Field& a, const Field& b) { return same(a, b); });
}

void forget(Event& event) {
  unregister(event);
  delete static_cast<Declared*>(const_cast<EventDescription*>(event.description));
  event.description = nullptr;
}

}  // namespace
}  // namespace maxlat::trace::detail

void maxlat_trace_register(maxlat_trace_event* declared, const maxlat_trace_declaration* declaration) {
  using namespace maxlat::trace;
  detail::CEvent& c_event = detail::c_event_of(*declared);
  Event& event = c_event.event;
  if (c_event.contradicted) return;
  detail::Declared* const made = detail::described(*declaration);
  if (event.description == nullptr) {
    event.fixed_size = detail::fixed_size(made->EventDescription::fields);
    event.choose_probe = [](detail::ProbeKind) {};  // C has one
    event.description = made;
    const Registration registration{event};
    return;
  }
  if (!detail::same(*event.description, *made)) {
    c_event.contradicted = true;
    detail::forget(event);
    std::fprintf(stderr, "maxlat: the event %s:%s is declared differently in two source files; it stays disabled\n",
                 declaration->provider, declaration->name);
  }
  delete made;
}

void maxlat_trace_unregister(maxlat_trace_event* declared) {
  maxlat::trace::Event& event = maxlat::trace::detail::event_of(*declared);
  if (event.description != nullptr) maxlat::trace::detail::forget(event);
}
