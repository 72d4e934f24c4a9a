// SPDX-License-Identifier: MIT
// Values as babeltrace2's text shows them, and as JSON. An enumeration is ( "label" : container = 3 ), and in JSON
// {"value":3,"label":"label"}; a variant is what it holds.
#include <babeltrace2/babeltrace.h>

#include <cmath>

#include "foreign_trace.hpp"
#include "read/escape.hpp"

namespace maxlat::trace_tools {
namespace {

class FieldWriter {
 public:
  FieldWriter(OutputBuffer& out, bool json) : out_(out), json_(json) {}

  void structure(const bt_field* field) {
    const bt_field_class* type = bt_field_borrow_class_const(field);
    const std::uint64_t members = bt_field_class_structure_get_member_count(type);
    out_.text(json_ ? "{" : members == 0 ? "{ }" : "{ ");
    for (std::uint64_t i = 0; i < members; ++i) {
      if (i != 0) out_.text(json_ ? "," : ", ");
      const char* name =
          bt_field_class_structure_member_get_name(bt_field_class_structure_borrow_member_by_index_const(type, i));
      if (json_) {
        quoted(name);
        out_.character(':');
      } else {
        out_.text(name);
        out_.text(" = ");
      }
      value(bt_field_structure_borrow_member_field_by_index_const(field, i));
    }
    if (json_)
      out_.character('}');
    else if (members != 0)
      out_.text(" }");
  }

 private:
  void quoted(std::string_view text) {
    out_.character('"');
    out_.text(json_ ? json_escaped(text) : c_escaped(text));
    out_.character('"');
  }

  template <typename Number>
  void real(Number number) {
    if (json_ && !std::isfinite(number))
      out_.text("null");
    else
      out_.number(number);
  }

  // Labels of an enumeration, as the library gives them.
  template <typename Number, typename GetLabels>
  void enumeration(const bt_field* field, Number number, GetLabels get_labels) {
    bt_field_class_enumeration_mapping_label_array labels = nullptr;
    std::uint64_t count = 0;
    if (get_labels(field, &labels, &count) != BT_FIELD_ENUMERATION_GET_MAPPING_LABELS_STATUS_OK) count = 0;
    out_.text(json_ ? "{\"value\":" : "( ");
    if (json_) {
      out_.number(number);
      out_.text(",\"label\":");
      if (count == 0) out_.text("null");
    } else if (count == 0) {
      out_.text("<unknown>");
    }
    if (count > 1 && json_) out_.character('[');
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i != 0) out_.text(json_ ? "," : ", ");
      quoted(labels[i]);
    }
    if (count > 1 && json_) out_.character(']');
    if (!json_) {
      out_.text(" : container = ");
      out_.number(number);
    }
    out_.text(json_ ? "}" : " )");
  }

  void array(const bt_field* field) {
    const std::uint64_t length = bt_field_array_get_length(field);
    out_.text(json_ ? "[" : "[ ");
    for (std::uint64_t i = 0; i < length; ++i) {
      if (json_) {
        if (i != 0) out_.character(',');
      } else {
        out_.text(i != 0 ? ", [" : "[");
        out_.number(i);
        out_.text("] = ");
      }
      value(bt_field_array_borrow_element_field_by_index_const(field, i));
    }
    out_.text(json_ ? "]" : length != 0 ? " ]" : "]");
  }

  // An integer in the base that its type prefers. What is negative, in another base than 10: as many digits as the type
  // has.
  template <typename Number>
  void integer(const bt_field* field, Number number) {
    const bt_field_class* type = bt_field_borrow_class_const(field);
    const auto base = bt_field_class_integer_get_preferred_display_base(type);
    if (json_ || base == BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_DECIMAL) {
      out_.number(number);
      return;
    }
    const unsigned bits_a_digit = base == BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_BINARY  ? 1
                                  : base == BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_OCTAL ? 3
                                                                                                : 4;
    const std::uint64_t range = bt_field_class_integer_get_field_value_range(type);
    const std::uint64_t bits = (range + bits_a_digit - 1) / bits_a_digit * bits_a_digit;
    const auto all = static_cast<std::uint64_t>(number);
    out_.power_of_two(bits_a_digit, bits < 64 ? all & ((std::uint64_t{1} << bits) - 1) : all);
  }

  void value(const bt_field* field) {
    const bt_field_class_type type = bt_field_get_class_type(field);
    const auto is = [type](bt_field_class_type other) { return bt_field_class_type_is(type, other); };
    if (is(BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION)) {
      enumeration(field, bt_field_integer_unsigned_get_value(field), bt_field_enumeration_unsigned_get_mapping_labels);
    } else if (is(BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION)) {
      enumeration(field, bt_field_integer_signed_get_value(field), bt_field_enumeration_signed_get_mapping_labels);
    } else if (is(BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)) {
      integer(field, bt_field_integer_unsigned_get_value(field));
    } else if (is(BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) {
      integer(field, bt_field_integer_signed_get_value(field));
    } else if (is(BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL)) {
      real(bt_field_real_single_precision_get_value(field));
    } else if (is(BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL)) {
      real(bt_field_real_double_precision_get_value(field));
    } else if (is(BT_FIELD_CLASS_TYPE_STRING)) {
      quoted({bt_field_string_get_value(field), bt_field_string_get_length(field)});
    } else if (is(BT_FIELD_CLASS_TYPE_STRUCTURE)) {
      structure(field);
    } else if (is(BT_FIELD_CLASS_TYPE_ARRAY)) {
      array(field);
    } else if (is(BT_FIELD_CLASS_TYPE_VARIANT)) {
      if (!json_) out_.text("{ ");
      value(bt_field_variant_borrow_selected_option_field_const(field));
      if (!json_) out_.text(" }");
    } else if (is(BT_FIELD_CLASS_TYPE_OPTION)) {
      const bt_field* held = bt_field_option_borrow_field_const(field);
      if (held != nullptr)
        value(held);
      else
        out_.text(json_ ? "null" : "<none>");
    } else if (is(BT_FIELD_CLASS_TYPE_BOOL)) {
      out_.text(bt_field_bool_get_value(field) != 0 ? "true" : "false");
    } else if (is(BT_FIELD_CLASS_TYPE_BIT_ARRAY)) {
      out_.number(bt_field_bit_array_get_value_as_integer(field));
    } else {
      out_.text(json_ ? "null" : "<unknown>");
    }
  }

  OutputBuffer& out_;
  bool json_;
};

const bt_field* packet_context(const bt_event* event) {
  // A stream may have no packets.
  if (!bt_stream_class_supports_packets(bt_stream_borrow_class_const(bt_event_borrow_stream_const(event))))
    return nullptr;
  return bt_packet_borrow_context_field_const(bt_event_borrow_packet_const(event));
}

// Null: there is no such member, or nothing that could have one.
const bt_field* member(const bt_field* structure, const char* name) {
  return structure == nullptr ? nullptr : bt_field_structure_borrow_member_field_by_name_const(structure, name);
}

std::optional<std::int64_t> number_in(const bt_field* structure, const char* name) {
  const bt_field* const field = member(structure, name);
  if (field == nullptr) return {};
  const bt_field_class_type type = bt_field_get_class_type(field);
  if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
    return static_cast<std::int64_t>(bt_field_integer_unsigned_get_value(field));
  if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) return bt_field_integer_signed_get_value(field);
  return {};
}

}  // namespace

void write_foreign_fields(OutputBuffer& out, const bt_event* event, bool json) {
  const bt_field* payload = bt_event_borrow_payload_field_const(event);
  const std::pair<const char*, const bt_field*> parts[] = {
      {"packet", packet_context(event)},
      {"context", bt_event_borrow_common_context_field_const(event)},
      {"own_context", bt_event_borrow_specific_context_field_const(event)},
      {"fields", payload}};
  FieldWriter writer(out, json);
  const char* between = "";
  for (const auto& [name, field] : parts) {
    if (field == nullptr) continue;
    out.text(between);
    between = json ? "," : ", ";
    if (json) {
      out.character('"');
      out.text(name);
      out.text("\":");
    }
    writer.structure(field);
  }
  if (json && payload == nullptr) {
    out.text(between);
    out.text("\"fields\":{}");
  } else if (*between == '\0') {
    out.text("{ }");
  }
}

std::optional<std::int64_t> foreign_number(const bt_event* event, const char* name) {
  for (const bt_field* part : {packet_context(event), bt_event_borrow_common_context_field_const(event),
                               bt_event_borrow_specific_context_field_const(event)})
    if (const auto number = number_in(part, name)) return number;
  return {};
}

std::optional<std::int64_t> foreign_field_number(const bt_event* event, const char* name) {
  return number_in(bt_event_borrow_payload_field_const(event), name);
}

std::optional<std::string> foreign_field_text(const bt_event* event, const char* name) {
  const bt_field* const field = member(bt_event_borrow_payload_field_const(event), name);
  if (field == nullptr || bt_field_get_class_type(field) != BT_FIELD_CLASS_TYPE_STRING) return {};
  return std::string(bt_field_string_get_value(field), bt_field_string_get_length(field));
}

}  // namespace maxlat::trace_tools
