// SPDX-License-Identifier: MIT
#include "json_reader.hpp"

#include "json_writer.hpp"

namespace maxlat::core {

const Json* JsonReader::find(std::string_view key) const {
  if (error_) return nullptr;
  const auto found = place_->find(std::string(key));
  return found == place_->end() ? nullptr : &*found;
}

const Json* JsonReader::find_required(std::string_view key) {
  const Json* found = find(key);
  if (!found) fail(key, "is missing");
  return found;
}

void JsonReader::fail(std::string_view key, std::string_view what) {
  if (error_) return;  // the first is the cause of the others
  const char* dot = path_.empty() || key.empty() ? "" : ".";
  error_ = Error{.text = fmt::format("{}{}{} {}", path_, dot, path_.empty() && key.empty() ? "it" : key, what)};
}

void JsonReader::strings(std::string_view key, std::vector<std::string>& values) {
  const Json* found = find(key);
  if (!found) return;
  if (!found->is_array()) return fail(key, "is not a list of texts");
  for (const Json& item : *found) scalar(key, item, values.emplace_back());
}

void JsonReader::numbers(std::string_view key, std::vector<double>& values) {
  const Json* found = find(key);
  if (!found || (found->is_array() && found->empty())) return;
  auto* list = document_.numbers_at(*found);
  if (!list) return fail(key, "is not a list of numbers");
  values = std::move(*list);
  for (double& value : values) value = as_written(value, kDecimals);
}

void JsonReader::bins(std::string_view key, std::vector<Bin>& bins) {
  const Json* found = find_required(key);
  if (!found) return;
  auto* list = document_.bins_at(*found);
  if (!list) return fail(key, "is not a list of [low, high, count]");
  bins = std::move(*list);
  for (Bin& bin : bins) {
    bin.low_ns = as_written(bin.low_ns, kDecimals);
    bin.high_ns = as_written(bin.high_ns, kDecimals);
  }
}

void JsonReader::scalar(std::string_view key, const Json& from, std::string& value) {
  if (!from.is_string()) return fail(key, "is not a text");
  value = from.get_ref<const std::string&>();
}

void JsonReader::scalar(std::string_view key, const Json& from, double& value) {
  if (!from.is_number()) return fail(key, "is not a number");
  value = as_written(from.get<double>(), decimals_of(key));
}

void JsonReader::scalar(std::string_view key, const Json& from, uint64_t& value) {
  if (!from.is_number_unsigned()) return fail(key, "is not a whole number from 0 on");
  value = from.get<uint64_t>();
}

void JsonReader::scalar(std::string_view key, const Json& from, unsigned& value) {
  uint64_t wide = 0;
  scalar(key, from, wide);
  if (wide > std::numeric_limits<unsigned>::max()) return fail(key, "is too large");
  value = static_cast<unsigned>(wide);
}

void JsonReader::scalar(std::string_view key, const Json& from, bool& value) {
  if (!from.is_boolean()) return fail(key, "is not true or false");
  value = from.get<bool>();
}

}  // namespace maxlat::core
