// SPDX-License-Identifier: MIT
#include "gate_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <maxlat/reports/metric_definition.hpp>

namespace maxlat::reports {
namespace {

// A number stands as it is; of a time, the unit is part of the text.
WrittenLimit as_written(const MetricDefinition& metric, const std::string& text) {
  if (metric.unit != MetricUnit::number) return text;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size()) return number;
  return text;
}

core::Result<Rule> limit_of_option(const MetricDefinition& metric, const std::string& name, const std::string& text) {
  auto rule = read_limit("*", name, as_written(metric, text));
  if (rule) return rule;
  const std::string of_family = metric.has_name != nullptr ? " " + name : "";
  return core::Error{fmt::format("--{}{}: {}", metric.option, of_family, rule.error().text), rule.error().hint};
}

// "p99.99=20us": one metric of a family, and its limit.
core::Result<Rule> limit_of_family(const MetricDefinition& metric, const std::string& text) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (!metric.has_name(name) && metric.has_name(std::string(metric.begins_with) + name))
    return core::Error{fmt::format("--{} {}: it begins with {}", metric.option, text, metric.begins_with),
                       fmt::format("write {}{}", metric.begins_with, text)};
  if (equals == std::string::npos)
    return core::Error{fmt::format("--{} {} has no limit", metric.option, text),
                       fmt::format("it takes {}", metric.argument)};
  return limit_of_option(metric, name, text.substr(equals + 1));
}

core::Result<std::vector<Rule>> limits_of_options(const core::CommandLine& line) {
  std::vector<Rule> rules;
  for (const MetricDefinition* metric : metric_table()) {
    const std::string option(metric->option), name(metric->name);
    if (option.empty() || !line.has(option)) continue;
    std::vector<core::Result<Rule>> read;
    if (metric->argument.empty())
      read.push_back(read_limit("*", name, true));
    else if (metric->has_name == nullptr)
      read.push_back(limit_of_option(*metric, name, line.get<std::string>(option)));
    else
      for (const std::string& text : line.get<std::vector<std::string>>(option))
        read.push_back(limit_of_family(*metric, text));
    for (core::Result<Rule>& rule : read) {
      if (!rule) return rule.error();
      rules.push_back(*std::move(rule));
    }
  }
  return rules;
}

}  // namespace

void add_limit_options(boost::program_options::options_description& options) {
  auto add = options.add_options();
  for (const MetricDefinition* metric : metric_table()) {
    if (metric->option.empty()) continue;
    const std::string option(metric->option), argument(metric->argument), help(metric->help);
    if (metric->argument.empty())
      add(option.c_str(), help.c_str());
    else if (metric->has_name != nullptr)
      add(option.c_str(), core::argument<std::vector<std::string>>(argument.c_str())->composing(), help.c_str());
    else
      add(option.c_str(), core::argument(argument.c_str()), help.c_str());
  }
}

core::Result<std::vector<Rule>> limits_given(const core::CommandLine& line) {
  const auto limits = limits_of_options(line);
  if (!limits) return limits.error();
  std::vector<std::string> phases = {"*"};
  if (line.has("phase")) phases = line.get<std::vector<std::string>>("phase");
  for (auto phase = phases.begin(); phase != phases.end(); ++phase)
    if (std::find(phases.begin(), phase, *phase) != phase)
      return core::Error{fmt::format("--phase {} is given twice", *phase), "each phase once: every limit is of all of them"};
  std::vector<Rule> rules;
  for (const auto& phase : phases) {
    for (const Rule& limit : *limits) {
      auto rule = make_rule(phase, limit.metric, limit.limit);
      if (!rule) return rule.error();
      rules.push_back(*std::move(rule));
    }
  }
  return rules;
}

}  // namespace maxlat::reports
