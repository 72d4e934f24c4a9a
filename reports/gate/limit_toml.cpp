// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/reports/limit_toml.hpp>

namespace maxlat::reports {

Rule toml_limit(const toml::node& value, const std::string& key) {
  core::refuse_dotted_key(value, key);
  WrittenLimit written;
  if (const auto* text = value.as_string())
    written = text->get();
  else if (const auto number = value.value<double>(); number && value.is_number())
    written = *number;
  else if (const auto* wanted = value.as_boolean())
    written = wanted->get();
  else
    core::refuse(value, fmt::format("limit '{}' must be a number, or a time in quotes", key));
  core::Result<Rule> rule = read_limit("*", key, written);
  if (rule) return *std::move(rule);
  const core::Error& error = rule.error();
  core::refuse(value, fmt::format("limit '{}': {}{}{}", key, error.text, error.hint.empty() ? "" : "; ", error.hint));
}

std::vector<Rule> toml_limits_of_phase(const toml::node& limits, const std::string& phase) {
  std::vector<Rule> rules;
  for (const auto& [key, value] : core::toml_table(limits, "limits")) {
    rules.push_back(toml_limit(value, std::string(key.str())));
    rules.back().phase = phase;
  }
  return rules;
}

}  // namespace maxlat::reports
