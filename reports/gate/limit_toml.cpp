// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/reports/limit_toml.hpp>
#include <maxlat/reports/metric_definition.hpp>
#include <sstream>

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

std::string limits_as_toml(const std::vector<Rule>& rules) {
  toml::array limits;
  for (const Rule& rule : rules) {
    const MetricDefinition& metric = *find_metric(rule.metric);
    toml::table limit;
    if (rule.phase != "*" && metric.of_run == nullptr) limit.insert("phase", rule.phase);
    if (metric.unit == MetricUnit::required)
      limit.insert(rule.metric, true);
    else
      limit.insert(rule.metric, rule.limit);
    limits.push_back(std::move(limit));
  }
  std::ostringstream text;
  text << toml::table{{"limits", std::move(limits)}};
  return text.str();
}

}  // namespace maxlat::reports
