// SPDX-License-Identifier: MIT
#include "field_printer.hpp"

#include <algorithm>
#include <cmath>

#include "escape.hpp"

namespace maxlat::trace_tools {

FieldWords field_words(std::span<const trace::Field> fields, PrintStyle style) {
  FieldWords words;
  const char* between = style.json ? "" : " ";
  for (const trace::Field& field : fields) {
    words.push_back(between + (style.json ? quoted_json(field.name) + ":" : std::string(field.name) + " = "));
    between = style.json ? "," : ", ";
  }
  return words;
}

void FieldPrinter::string(std::string_view text) {
  out_.character('"');
  if (is_plain(text))
    out_.text(text);
  else
    out_.text(style_.json ? json_escaped(text) : c_escaped(text));
  out_.character('"');
}

void FieldPrinter::element(const trace::FieldValue& value, std::size_t i) {
  if (value.is_floating()) {
    const double number = value.floating_at(i);
    if (style_.json && !std::isfinite(number))
      out_.text("null");
    else if (value.field->bytes == 4)
      out_.number(static_cast<float>(number));
    else
      out_.number(number);
  } else if (value.field->is_hex && !style_.json) {
    out_.hexadecimal(value.unsigned_at(i));
  } else if (value.field->is_signed) {
    out_.number(value.signed_at(i));
  } else {
    out_.number(value.unsigned_at(i));
  }
}

void FieldPrinter::enumeration(const trace::FieldValue& value) {
  const std::uint64_t number = value.enumerator();
  const auto has_it = [number](const trace::Label& label) { return label.value == number; };
  const std::span<const trace::Label> labels = value.field->labels;
  const auto count = std::count_if(labels.begin(), labels.end(), has_it);
  if (style_.json) {
    out_.text("{\"value\":");
    element(value, 0);
    out_.text(count > 1 ? ",\"label\":[" : count == 0 ? ",\"label\":null" : ",\"label\":");
  } else {
    out_.text(count == 0 ? "( <unknown>" : "( ");
  }
  const char* between = "";
  for (const trace::Label& label : labels) {
    if (!has_it(label)) continue;
    out_.text(between);
    string(label.name);
    between = style_.json ? "," : ", ";
  }
  if (style_.json) {
    out_.text(count > 1 ? "]}" : "}");
  } else {
    out_.text(" : container = ");
    element(value, 0);
    out_.text(" )");
  }
}

void FieldPrinter::value(const trace::FieldValue& value) {
  switch (value.field->kind) {
    case trace::FieldKind::integer:
    case trace::FieldKind::floating:
      return element(value, 0);
    case trace::FieldKind::string:
      return string(value.text());
    case trace::FieldKind::enumeration:
      return enumeration(value);
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

void FieldPrinter::print(const FieldWords& words, std::span<const trace::Field> fields,
                         std::span<const std::uint8_t> payload) {
  out_.character('{');
  trace::FieldValues values(fields, payload);
  std::size_t i = 0;
  for (trace::FieldValue field; values.next(field); ++i) {
    out_.text(words[i]);
    value(field);
  }
  if (values.broken()) {  // fields that the record has no room for
    out_.text(words[i]);
    out_.text(style_.json ? "null" : "(cut)");
  }
  out_.text(style_.json ? "}" : " }");
}

}  // namespace maxlat::trace_tools
