// SPDX-License-Identifier: MIT
//
// Fills the objects of run_fields.hpp from a JsonDocument. Keys it does not know are ignored, so that a file may carry
// more than this version knows.
//
// ERRORS: the first thing that is wrong is kept, with its place ("phases[2].per_cpu[0].samples"), and reading goes on
// without effect; the caller asks error() at the end. No exceptions: every access is checked before it is made.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json_document.hpp"
#include "run_fields.hpp"
#include "run_names.hpp"

namespace maxlat::core {

class JsonReader {
 public:
  template <typename T>
  using Of = T;

  explicit JsonReader(JsonDocument& document) : document_(document), place_(&document.root()) {
    if (!place_->is_object()) fail("", "is not a JSON object");
  }

  const std::optional<Error>& error() const { return error_; }

  void schema(const char* name) {
    std::string found;
    optional("schema", found);
    if (found == name || error_) return;
    error_ = found.empty()
                 ? Error{.text = "not a maxlat result: it has no \"schema\""}
                 : Error{.text = fmt::format("its schema is \"{}\", and this maxlat reads \"{}\"", found, name)};
  }

  template <typename T>
  void required(std::string_view key, T& value) {
    if (const Json* found = find_required(key)) scalar(key, *found, value);
  }
  template <typename T>
  void optional(std::string_view key, T& value) {
    if (const Json* found = find(key)) scalar(key, *found, value);
  }
  template <typename T>
  void derived(std::string_view, const T&) {}

  template <typename Body>
  void object(std::string_view key, Body body) {
    if (const Json* found = find_required(key)) inside(key, *found, body);
  }
  template <typename T>
  void object_unless(bool, std::string_view key, T& value) {
    if (const Json* found = find(key)) inside(key, *found, [&](JsonReader& v) { describe(v, value); });
  }
  template <typename T>
  void optional_object(std::string_view key, std::optional<T>& value) {
    if (const Json* found = find(key)) inside(key, *found, [&](JsonReader& v) { describe(v, value.emplace()); });
  }

  template <typename T>
  void list(std::string_view key, std::vector<T>& values, Lines) {
    const Json* found = find(key);
    if (!found) return;
    if (!found->is_array()) return fail(key, "is not a list of objects");
    values.resize(found->size());
    for (size_t i = 0; i < values.size(); ++i) {
      inside(fmt::format("{}[{}]", key, i), (*found)[i], [&](JsonReader& v) { describe(v, values[i]); });
    }
  }
  template <typename T>
  void list_unless_empty(std::string_view key, std::vector<T>& values, Lines lines) {
    list(key, values, lines);
  }
  template <typename T>
  void keyed_list(std::string_view key, std::vector<T>& values) {
    for_members(key, [&](JsonReader& v, const std::string& name, const Json& member) {
      v.inside(name, member, [&](JsonReader& inner) {
        values.emplace_back().name = name;
        describe(inner, values.back());
      });
    });
  }
  template <typename Value>
  void members(std::string_view key, std::vector<std::pair<std::string, Value>>& pairs) {
    for_members(key, [&](JsonReader& v, const std::string& name, const Json& member) {
      v.scalar(name, member, pairs.emplace_back(name, Value{}).second);
    });
  }
  void members(std::string_view key, std::map<std::string, std::string>& pairs) {
    for_members(
        key, [&](JsonReader& v, const std::string& name, const Json& member) { v.scalar(name, member, pairs[name]); });
  }

  void strings(std::string_view key, std::vector<std::string>& values);
  void numbers(std::string_view key, std::vector<double>& values);
  void bins(std::string_view key, std::vector<Bin>& bins);

 private:
  const Json* find(std::string_view key) const;
  const Json* find_required(std::string_view key);
  void fail(std::string_view key, std::string_view what);

  // Runs body with `value` as the object that keys are looked up in.
  template <typename Body>
  void inside(std::string_view key, const Json& value, Body body) {
    if (error_) return;
    if (!value.is_object()) return fail(key, "is not an object");
    const Json* outer = std::exchange(place_, &value);
    const size_t outer_length = path_.size();
    path_ += path_.empty() ? std::string(key) : fmt::format(".{}", key);
    body(*this);
    path_.resize(outer_length);
    place_ = outer;
  }
  template <typename Each>
  void for_members(std::string_view key, Each each) {
    const Json* found = find(key);
    if (!found) return;
    inside(key, *found, [&](JsonReader& v) {
      for (const auto& [name, member] : v.place_->items()) each(v, name, member);
    });
  }

  void scalar(std::string_view key, const Json& from, std::string& value);
  void scalar(std::string_view key, const Json& from, double& value);
  template <typename T>
  void scalar(std::string_view key, const Json& from, std::optional<T>& value) {
    scalar(key, from, value.emplace());
  }
  void scalar(std::string_view key, const Json& from, uint64_t& value);
  void scalar(std::string_view key, const Json& from, unsigned& value);
  void scalar(std::string_view key, const Json& from, bool& value);
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void scalar(std::string_view key, const Json& from, Enum& value) {
    std::string word;
    scalar(key, from, word);
    const auto& names = kNames<Enum>;
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end())
      return fail(key, fmt::format("is \"{}\", and must be one of {}", word, fmt::join(names, ", ")));
    value = static_cast<Enum>(found - names.begin());
  }

  JsonDocument& document_;
  const Json* place_;
  std::string path_;
  std::optional<Error> error_;
};

}  // namespace maxlat::core
