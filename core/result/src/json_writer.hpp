// SPDX-License-Identifier: MIT
//
// Writes the objects of run_fields.hpp as text, straight into a string: no tree in memory, whatever the number of bins.
//
// Numbers are written so that reading them back loses nothing that was measured, and a diff of two runs stays readable:
// counts are exact integers, seconds (keys that end in _s) and probabilities ("p") have up to nine decimals, everything
// else up to three (0.001 ns). A reader rounds to as many, whoever wrote the file: what is valid when it is read stays
// valid, to the last digit, when it is written and read again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run_fields.hpp"
#include "run_names.hpp"

namespace maxlat::core {

constexpr int kDecimals = 3;
constexpr int decimals_of(std::string_view key) {
  return key.ends_with("_s") || key == "p" ? 9 : kDecimals;
}
// As it is read back.
double as_written(double value, int decimals);

class JsonWriter {
 public:
  template <typename T>
  using Of = const T;

  template <typename T>
  static std::string text_of(const T& value) {
    JsonWriter writer;
    writer.open('{');
    describe(writer, value);
    writer.close('}');
    return std::move(writer.text_);
  }

  void schema(const char* name) { required("schema", std::string_view(name)); }

  template <typename T>
  void required(std::string_view key, const T& value) {
    begin(key);
    scalar(key, value);
  }
  template <typename T>
  void optional(std::string_view key, const T& value) {
    if (value != T{}) required(key, value);
  }
  template <typename T>
  void derived(std::string_view key, const T& value) {
    required(key, value);
  }

  template <typename Body>
  void object(std::string_view key, Body body) {
    begin(key);
    open('{');
    body(*this);
    close('}');
  }
  template <typename T>
  void object_unless(bool empty, std::string_view key, const T& value) {
    if (!empty) object(key, [&](JsonWriter& v) { describe(v, value); });
  }
  template <typename T>
  void optional_object(std::string_view key, const std::optional<T>& value) {
    if (value) object(key, [&](JsonWriter& v) { describe(v, *value); });
  }

  template <typename T>
  void list(std::string_view key, const std::vector<T>& values, Lines lines) {
    begin(key);
    open('[');
    for (const T& value : values) {
      separate();
      if (lines == Lines::one_each) ++one_line_;
      open('{');
      describe(*this, value);
      close('}');
      if (lines == Lines::one_each) --one_line_;
    }
    close(']');
  }
  template <typename T>
  void list_unless_empty(std::string_view key, const std::vector<T>& values, Lines lines) {
    if (!values.empty()) list(key, values, lines);
  }
  template <typename T>
  void keyed_list(std::string_view key, const std::vector<T>& values) {
    object(key, [&](JsonWriter& v) {
      for (const T& value : values) v.object(value.name, [&](JsonWriter& member) { describe(member, value); });
    });
  }
  template <typename Pairs>  // of string and string or double
  void members(std::string_view key, const Pairs& pairs) {
    object(key, [&](JsonWriter& v) {
      for (const auto& [name, value] : pairs) v.required(name, value);
    });
  }

  void strings(std::string_view key, const std::vector<std::string>& values);
  void numbers(std::string_view key, const std::vector<double>& values);
  void bins(std::string_view key, const std::vector<Bin>& bins);

 private:
  void scalar(std::string_view key, const char* value) { scalar(key, std::string_view(value)); }
  void scalar(std::string_view key, const std::string& value) { scalar(key, std::string_view(value)); }
  void scalar(std::string_view key, std::string_view value);
  void scalar(std::string_view key, double value);
  void scalar(std::string_view key, uint64_t value);
  void scalar(std::string_view key, unsigned value) { scalar(key, uint64_t{value}); }
  // Set: by optional().
  void scalar(std::string_view key, const std::optional<double>& value) { scalar(key, *value); }
  void scalar(std::string_view key, const std::optional<uint64_t>& value) { scalar(key, *value); }
  void scalar(std::string_view, bool value) { text_ += value ? "true" : "false"; }
  void scalar(std::string_view, std::optional<bool> value) { text_ += !value ? "null" : *value ? "true" : "false"; }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void scalar(std::string_view key, Enum value) { scalar(key, std::string_view(name_of(value))); }

  void begin(std::string_view key);  // "key":
  void separate();                   // comma and new line, as the place needs them
  void open(char bracket);
  void close(char bracket);
  void decimal(double value, int decimals);

  std::string text_;
  int depth_ = 0;
  int one_line_ = 0;   // > 0: no new lines for now
  bool empty_ = true;  // nothing yet in the innermost object or array
};

}  // namespace maxlat::core
