// SPDX-License-Identifier: MIT
// C's events in the registry of C++'s.
#include <maxlat/trace.h>

#include <cstdio>
#include <vector>

#include "c/declaration_check.hpp"
#include "c/event.hpp"
#include "session/events.hpp"

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
  for (std::uint32_t i = 0; i < declaration.fields; ++i) {
    const maxlat_trace_field& field = declaration.field[i];
    const bool is_hex = field.kind == MAXLAT_TRACE_KIND_HEX && !field.is_float;
    made->elements.push_back(
        {field.name, kind_of(field), field.bytes, field.is_signed, field.is_float, field.count, is_hex});
  }
  made->provider = declaration.provider;
  made->name = declaration.name;
  made->level = static_cast<Level>(declaration.level);
  made->EventDescription::fields = made->elements;
  return made;
}

void forget(Event& event) {
  unregister(event);
  delete static_cast<Declared*>(const_cast<EventDescription*>(event.description));
  event.description = nullptr;
}

// One that another source file has declared well stays disabled, too: its probes here would write something else.
void refuse(Event& event, const maxlat_trace_declaration& declaration, const std::string& why) {
  unregister(event);
  event.contradicted = true;
  std::fprintf(stderr, "maxlat: the event %s:%s stays disabled: %s\n", declaration.provider, declaration.name,
               why.c_str());
}

}  // namespace
}  // namespace maxlat::trace::detail

void maxlat_trace_register(maxlat_trace_event* declared, const maxlat_trace_declaration* declaration) {
  using namespace maxlat::trace;
  Event& event = detail::event_of(*declared);
  if (event.contradicted) return;
  if (const std::string wrong = detail::wrong_with(*declaration); !wrong.empty()) {
    detail::refuse(event, *declaration, wrong);
    return;
  }
  const auto* const made = detail::described(*declaration);
  const std::uint64_t fingerprint = detail::fingerprint(*made);
  const bool first = event.description == nullptr;
  if (first) {
    event.fixed_size = detail::fixed_size(made->EventDescription::fields);
    event.declared = fingerprint;
    event.choose_probe = [](detail::ProbeKind) {};  // C has one
    event.description = made;
  }
  const Registration registration{event, fingerprint, detail::full_name(*made).c_str()};
  if (!first) delete made;
}

void maxlat_trace_unregister(maxlat_trace_event* declared) {
  maxlat::trace::Event& event = maxlat::trace::detail::event_of(*declared);
  if (event.description != nullptr) maxlat::trace::detail::forget(event);
}
