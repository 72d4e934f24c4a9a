// SPDX-License-Identifier: MIT
//
// The fields of an event, with their names: { n = 3, s = "x" }, or {"n":3,"s":"x"}. What each kind of field looks like
// is told in event_printer.hpp.
#pragma once

#include <cstdint>
#include <maxlat/trace/field_values.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "moment_writer.hpp"
#include "output_buffer.hpp"

namespace maxlat::trace_tools {

// What stands before each field's value: the same for all events of a type, so it is made once.
using FieldWords = std::vector<std::string>;
FieldWords field_words(std::span<const trace::Field> fields, PrintStyle style);

class FieldPrinter {
 public:
  FieldPrinter(OutputBuffer& out, PrintStyle style) : out_(out), style_(style) {}
  // `words` are those of the fields.
  void print(const FieldWords& words, std::span<const trace::Field> fields, std::span<const std::uint8_t> payload);

 private:
  void value(const trace::FieldValue& value);
  void element(const trace::FieldValue& value, std::size_t i);
  void enumeration(const trace::FieldValue& value);
  void string(std::string_view text);

  OutputBuffer& out_;
  PrintStyle style_;
};

}  // namespace maxlat::trace_tools
