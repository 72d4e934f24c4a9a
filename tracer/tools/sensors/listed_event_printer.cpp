// SPDX-License-Identifier: MIT
#include "sensors/listed_event_printer.hpp"

#include "read/escape.hpp"

namespace maxlat::trace_tools {

ListedEventPrinter::ListedEventPrinter(const std::vector<trace::EventDescription>& types, PrintStyle style,
                                       std::string_view list)
    : types_(types), style_(style), moment_(out_, style), fields_(out_, style) {
  if (!list.empty()) list_ = style.json ? ",\"list\":" + quoted_json(list) : c_escaped(list) + " ";
  for (const trace::EventDescription& type : types) {
    const std::string name = std::string(type.provider) + ":" + std::string(type.name);
    words_.push_back({style.json ? quoted_json(name) : c_escaped(name), field_words(type.fields, style)});
  }
}

std::string ListedEventPrinter::text(const sensors::ListedEvent& event, std::int64_t time_ns) {
  moment_.write(time_ns);
  out_.text(list_);
  if (style_.json) {
    out_.text(",\"position\":");
    out_.number(event.position);
  }
  if (event.cpu) {
    out_.text(style_.json ? ",\"cpu\":" : "cpu");
    out_.number(*event.cpu);
    if (!style_.json) out_.character(' ');
  }
  if (style_.json) out_.text(",\"event\":");
  if (event.type == nullptr) {
    out_.text(style_.json ? "null" : "(of a type that the list does not have)");
  } else {
    const Words& words = words_[static_cast<std::size_t>(event.type - types_.data())];
    out_.text(words.name);
    out_.text(style_.json ? ",\"fields\":" : ": ");
    fields_.print(words.fields, event.type->fields, event.payload);
  }
  if (event.late) out_.text(style_.json ? ",\"late\":true" : " (late)");
  if (style_.json) out_.character('}');
  return out_.taken();
}

}  // namespace maxlat::trace_tools
