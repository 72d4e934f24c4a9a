// SPDX-License-Identifier: MIT
#include "c/declaration_check.hpp"

#include <string_view>

#include "c/event.hpp"

namespace maxlat::trace::detail {
namespace {

// What a number's type can be: sizes that TSDL has types of.
bool is_element(const maxlat_trace_field& field) {
  const bool is_float = field.bytes == 4 || field.bytes == 8;
  return field.is_float ? is_float : is_float || field.bytes == 1 || field.bytes == 2;
}

bool has_count(const maxlat_trace_field& field) {
  return field.kind == MAXLAT_TRACE_KIND_TEXT || field.kind == MAXLAT_TRACE_KIND_ARRAY ||
         field.kind == MAXLAT_TRACE_KIND_SEQUENCE;
}

std::string wrong_with(const maxlat_trace_field& field) {
  if (field.kind != MAXLAT_TRACE_KIND_TEXT && !is_element(field)) {
    return "of " + std::to_string(field.bytes) + " bytes" + (field.is_float ? ", floating" : "") +
           ": integers have 1, 2, 4 or 8, float and double 4 or 8";
  }
  if (field.kind == MAXLAT_TRACE_KIND_HEX && field.is_float) return "hex, and no integer";
  if (has_count(field) && field.count == 0) return "of 0 elements or bytes: 1 to 65535";
  return {};
}

}  // namespace

std::string wrong_with(const maxlat_trace_declaration& declaration) {
  if (declaration.level > MAXLAT_TRACE_DEBUG)
    return "its level is " + std::to_string(declaration.level) + ", not 0 to 7";
  if (declaration.fields > kMaxFields) {
    return "it has " + std::to_string(declaration.fields) + " fields, at most " + std::to_string(kMaxFields);
  }
  for (std::uint32_t i = 0; i < declaration.fields; ++i) {
    const std::string_view name = declaration.field[i].name == nullptr ? "" : declaration.field[i].name;
    const std::string field = "its field \"" + std::string(name) + "\" is ";
    if (!is_identifier(name)) return field + "no name: A to Z, a to z, 0 to 9 and _ make one";
    if (std::string wrong = wrong_with(declaration.field[i]); !wrong.empty()) return field + wrong;
    for (std::uint32_t before = 0; before < i; ++before) {
      if (name == declaration.field[before].name) return field + "there twice";
    }
  }
  return {};
}

}  // namespace maxlat::trace::detail
