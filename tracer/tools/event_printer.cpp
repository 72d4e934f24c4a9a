// SPDX-License-Identifier: MIT
#include "event_printer.hpp"

#include <time.h>

#include <cmath>

#include "escape.hpp"

namespace maxlat::trace_tools {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Makes place for number `at` of a table that grows as numbers turn up.
template <typename T>
T& entry(std::vector<T>& table, std::size_t at) {
  if (at >= table.size()) table.resize(at + 1);
  return table[at];
}

std::string quoted_json(std::string_view text) {
  return '"' + json_escaped(text) + '"';
}

}  // namespace

const EventPrinter::Words& EventPrinter::words_of(const trace::EventType& type) {
  Words& words = entry(types_, type.number);
  if (!words.head.empty()) return words;
  words.head = style_.json ? ",\"event\":" + quoted_json(type.name) + ",\"fields\":{" : c_escaped(type.name) + ": {";
  const char* between = style_.json ? "" : " ";
  for (const trace::Field& field : type.fields) {
    words.fields.push_back(between + (style_.json ? quoted_json(field.name) + ":" : std::string(field.name) + " = "));
    between = style_.json ? "," : ", ";
  }
  return words;
}

const std::string& EventPrinter::words_of(const trace::TraceStream& stream) {
  std::string& words = entry(streams_, stream.number);
  if (!words.empty()) return words;
  const std::string pid = std::to_string(stream.process->pid);
  const std::string owner = std::to_string(stream.owner);
  const bool per_cpu = stream.channel->per_cpu;
  if (style_.json) {
    words = ",\"process\":" + quoted_json(stream.process->name) + ",\"pid\":" + pid +
            (per_cpu ? ",\"cpu\":" : ",\"tid\":") + owner;
  } else {
    words = c_escaped(stream.process->name) + " " + pid + (per_cpu ? "/cpu" : "/") + owner + " ";
  }
  return words;
}

void EventPrinter::time(std::int64_t time_ns) {
  if (style_.json) {
    out_.text("{\"time_ns\":");
    out_.number(time_ns);
    return;
  }
  std::int64_t second = time_ns / kSecond;
  if (time_ns % kSecond < 0) --second;
  if (second != second_) {
    const time_t since_1970 = second;
    struct tm local {};
    localtime_r(&since_1970, &local);
    char words[32];
    second_words_.assign(words, strftime(words, sizeof words, "[%H:%M:%S.", &local));
    second_ = second;
  }
  out_.text(second_words_);
  out_.padded(static_cast<unsigned>(time_ns - second * kSecond), 9);
  out_.text("] ");
}

void EventPrinter::delta(std::int64_t time_ns) {
  const std::int64_t since = last_ns_ ? time_ns - *last_ns_ : 0;
  if (style_.json) {
    out_.text(",\"delta_ns\":");
    if (last_ns_)
      out_.number(since);
    else
      out_.text("null");
  } else if (!last_ns_) {
    out_.text(
        "(+?.?????????"
        ") ");
  } else {
    // Back in time is possible in a trace that is damaged, and is shown as it is.
    const auto size = static_cast<std::uint64_t>(since < 0 ? -since : since);
    out_.text(since < 0 ? "(-" : "(+");
    out_.number(size / kSecond);
    out_.character('.');
    out_.padded(static_cast<unsigned>(size % kSecond), 9);
    out_.text(") ");
  }
  last_ns_ = time_ns;
}

void EventPrinter::string(std::string_view text) {
  out_.character('"');
  if (is_plain(text))
    out_.text(text);
  else
    out_.text(style_.json ? json_escaped(text) : c_escaped(text));
  out_.character('"');
}

void EventPrinter::element(const trace::FieldValue& value, std::size_t i) {
  if (value.is_floating()) {
    const double number = value.floating_at(i);
    if (style_.json && !std::isfinite(number))
      out_.text("null");
    else if (value.field->bytes == 4)
      out_.number(static_cast<float>(number));
    else
      out_.number(number);
  } else if (value.field->is_signed) {
    out_.number(value.signed_at(i));
  } else {
    out_.number(value.unsigned_at(i));
  }
}

void EventPrinter::value(const trace::FieldValue& value) {
  switch (value.field->kind) {
    case trace::FieldKind::integer:
    case trace::FieldKind::floating:
      return element(value, 0);
    case trace::FieldKind::string:
      return string(value.text());
    case trace::FieldKind::array:
    case trace::FieldKind::sequence:
      break;
  }
  out_.text(style_.json ? "[" : "[ ");
  for (std::size_t i = 0; i < value.count; ++i) {
    if (style_.json) {
      if (i != 0) out_.character(',');
    } else {
      out_.text(i != 0 ? ", [" : "[");
      out_.number(i);
      out_.text("] = ");
    }
    element(value, i);
  }
  out_.text(style_.json ? "]" : value.count != 0 ? " ]" : "]");
}

void EventPrinter::print(const trace::RecordedEvent& event) {
  time(event.time_ns);
  if (style_.delta) delta(event.time_ns);
  out_.text(words_of(*event.stream));
  const Words& words = words_of(*event.type);
  out_.text(words.head);
  trace::FieldValues values(event.type->fields, event.payload);
  std::size_t i = 0;
  for (trace::FieldValue field; values.next(field); ++i) {
    out_.text(words.fields[i]);
    value(field);
  }
  if (values.broken()) {  // fields that the record has no room for
    out_.text(words.fields[i]);
    out_.text(style_.json ? "null" : "(cut)");
  }
  out_.text(style_.json ? "}}\n" : " }\n");
}

}  // namespace maxlat::trace_tools
