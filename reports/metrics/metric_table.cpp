// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/reports/metric_definition.hpp>

namespace maxlat::reports {

std::vector<const MetricDefinition*> metric_rows();  // of CMakeLists.txt

std::vector<const MetricDefinition*>& metric_table() {
  static std::vector<const MetricDefinition*> table = metric_rows();
  return table;
}

namespace {

std::string_view unit_in_name(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::nanoseconds:
      return "_ns";
    case MetricUnit::seconds:
      return "_s";
    case MetricUnit::number:
    case MetricUnit::required:
      return "";
  }
  return "";
}

// A time as the example of an error has it.
std::string_view example_of(MetricUnit unit) {
  return unit == MetricUnit::seconds ? "60s" : "50us";
}

bool is_named(const MetricDefinition& definition, std::string_view name) {
  return definition.has_name != nullptr ? definition.has_name(name) : definition.name == name;
}

const MetricDefinition* find_in_words(std::string_view name) {
  for (const MetricDefinition* definition : metric_table())
    if (is_named(*definition, name)) return definition;
  return nullptr;
}

// Metrics of a family are told by their beginning, and those that are there by `maxlat check`.
std::string known_metrics(std::string_view asked) {
  constexpr std::string_view kSettingFamily = "setting ";
  if (asked.starts_with(kSettingFamily)) {
    std::string settings;
    for (const core::Setting& setting : core::settings())
      settings.append(settings.empty() ? "settings are " : ", ").append(setting.name);
    return settings;
  }
  if (asked.size() > 1 && asked[0] == 'p' && asked[1] >= '0' && asked[1] <= '9')
    return "a quantile is above p0 and at most p100: p50, p99.99";
  std::string names;
  for (const MetricDefinition* definition : metric_table())
    names +=
        fmt::format("{}{}{}", names.empty() ? "metrics are " : ", ", definition->name, unit_in_name(definition->unit));
  return names;
}

// Three decimals at most, as few as say the same: ticks make figures like 2904.615384615. A rate may be smaller than
// that, and is not 0.
std::string plain(double number) {
  constexpr double kSmallest = 0.001;
  if (number != 0 && std::abs(number) < kSmallest) return fmt::format("{:.3g}", number);
  std::string text = fmt::format("{:.3f}", number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

core::Result<double> required_limit(const WrittenLimit& written) {
  const bool* wanted = std::get_if<bool>(&written);
  if (wanted == nullptr || !*wanted) return core::Error{"it can only be required: true"};
  return 1.0;
}

core::Result<double> limit_in_words(const std::string& name, MetricUnit unit, const WrittenLimit& written) {
  const std::string* text = std::get_if<std::string>(&written);
  if (text == nullptr) return core::Error{fmt::format("it needs a unit: {} = \"{}\"", name, example_of(unit))};
  const core::Result<uint64_t> ns = core::parse_duration_ns(*text, core::kUnitNeeded);
  if (!ns) return ns.error();
  return static_cast<double>(*ns) / (unit == MetricUnit::seconds ? 1e9 : 1);
}

core::Result<double> limit_in_its_unit(const std::string& name, MetricUnit unit, const WrittenLimit& written) {
  if (unit == MetricUnit::required) return required_limit(written);
  if (const double* number = std::get_if<double>(&written)) return *number;
  if (unit == MetricUnit::number) return core::Error{"it must be a number"};
  return core::Error{fmt::format("it must be a number; with a unit it is {} = \"{}\"", name, example_of(unit))};
}

}  // namespace

std::string name_in_words(const MetricDefinition& definition, std::string_view metric) {
  metric.remove_suffix(unit_in_name(definition.unit).size());
  return std::string(metric);
}

const MetricDefinition* find_metric(std::string_view metric) {
  for (const MetricDefinition* definition : metric_table())
    if (metric.ends_with(unit_in_name(definition->unit)) && is_named(*definition, name_in_words(*definition, metric)))
      return definition;
  return nullptr;
}

std::string_view unit_text(MetricUnit unit) {
  const std::string_view in_name = unit_in_name(unit);
  return in_name.empty() ? in_name : in_name.substr(1);
}

std::string value_text(MetricUnit unit, double value) {
  switch (unit) {
    case MetricUnit::nanoseconds:
      return fmt::format("{} ns ({})", plain(value), core::latency_text(value));
    case MetricUnit::seconds:
      return plain(value) + " s";
    case MetricUnit::number:
    case MetricUnit::required:
      return plain(value);
  }
  return {};
}

std::string limit_text(const MetricDefinition& definition, double limit) {
  if (definition.unit == MetricUnit::required) return std::string(definition.wanted);
  return fmt::format("{} {}", definition.bound == Bound::at_least ? ">=" : "<=", value_text(definition.unit, limit));
}

core::Result<Rule> make_rule(const std::string& phase, const std::string& metric, double limit) {
  const MetricDefinition* definition = find_metric(metric);
  if (definition == nullptr) return core::Error{fmt::format("unknown metric '{}'", metric), known_metrics(metric)};
  if (!std::isfinite(limit) || limit < 0)
    return core::Error{fmt::format("limit of {} is {}, not a number from 0", metric, limit)};
  if (phase.empty()) return core::Error{"a rule needs the name or kind of a phase, or '*' for every one that measures"};
  return Rule{phase, metric, definition->unit == MetricUnit::required ? 1 : limit};
}

core::Result<Rule> read_limit(const std::string& phase, const std::string& key, const WrittenLimit& written) {
  if (const MetricDefinition* definition = find_metric(key)) {
    const auto limit = limit_in_its_unit(name_in_words(*definition, key), definition->unit, written);
    return limit ? make_rule(phase, key, *limit) : limit.error();
  }
  const MetricDefinition* definition = find_in_words(key);
  if (definition == nullptr) return core::Error{"there is no such metric", known_metrics(key)};
  const auto limit = limit_in_words(key, definition->unit, written);
  return limit ? make_rule(phase, key + std::string(unit_in_name(definition->unit)), *limit) : limit.error();
}

core::Result<std::string> metric_named(const std::string& key) {
  if (find_metric(key) != nullptr) return key;
  if (const MetricDefinition* definition = find_in_words(key)) return key + std::string(unit_in_name(definition->unit));
  return core::Error{"there is no such metric", known_metrics(key)};
}

std::string written_limit(const Rule& rule) {
  const MetricDefinition* definition = find_metric(rule.metric);
  const bool required = definition != nullptr && definition->unit == MetricUnit::required;
  return required ? "true" : fmt::format("{}", rule.limit);
}

}  // namespace maxlat::reports
