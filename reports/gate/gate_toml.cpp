// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/reports/gate.hpp>
#include <maxlat/reports/limit_toml.hpp>
#include <maxlat/reports/metric_definition.hpp>

namespace maxlat::reports {
namespace {

constexpr std::string_view kGateHint = "docs/gate.md describes the file; maxlat gate --list-metrics lists the limits";

std::string one_line(const toml::node& node, std::string_view key) {
  std::string text = core::toml_line(node, key);
  if (text.empty()) core::refuse(node, fmt::format("'{}' must be one line of text", key));
  return text;
}

double share_of(const toml::node& node) {
  const auto share = node.value<double>();
  if (!node.is_number() || !share || !(*share >= 0 && *share < 1))
    core::refuse(node, "'cpus_over' must be a share of the CPUs, from 0 to less than 1: 0.05 is 5 %");
  return *share;
}

std::vector<Rule> soft_limits_of(const toml::node& node) {
  std::vector<Rule> rules;
  std::optional<double> cpus_over;
  const toml::node* share = nullptr;
  for (const auto& [key, value] : core::toml_in_order(core::toml_table(node, "soft"))) {
    if (key == "cpus_over")
      cpus_over = share_of(value), share = &value;
    else
      rules.push_back(toml_limit(value, key));
  }
  if (rules.empty()) core::refuse(node, "[limits.soft] has no limit");
  for (Rule& rule : rules) {
    rule.soft = true;
    if (find_metric(rule.metric)->of_cpu != nullptr)
      rule.cpus_over = cpus_over;
    else if (share != nullptr)
      core::refuse(*share, fmt::format("'cpus_over': {} is not judged on each CPU", rule.metric));
  }
  return rules;
}

// A [[limits]]: hard and soft limits on the same phases.
std::vector<Rule> limits_of_table(const toml::node& node) {
  std::vector<Rule> rules;
  std::string phase = "*";
  const toml::node* named = nullptr;
  for (const auto& [key, value] : core::toml_in_order(core::toml_table(node, "limits"))) {
    if (key == "phase")
      phase = one_line(value, "phase"), named = &value;
    else if (key == "soft")
      for (Rule& rule : soft_limits_of(value)) rules.push_back(std::move(rule));
    else
      rules.push_back(toml_limit(value, key));
  }
  if (rules.empty()) core::refuse(node, "a [[limits]] has no limit");
  for (Rule& rule : rules) {
    rule.phase = phase;
    if (named != nullptr && find_metric(rule.metric)->of_run != nullptr)
      core::refuse(*named, fmt::format("{} is of the whole run, and takes no phase", rule.metric));
  }
  return rules;
}

std::string last_day_of(const toml::node& node) {
  const auto* date = node.as_date();
  if (date == nullptr) core::refuse(node, "'until' must be a date without quotes: 2026-12-31");
  return fmt::format("{:04}-{:02}-{:02}", date->get().year, date->get().month, date->get().day);
}

// Written as the limit that it waives.
double ceiling_of(const toml::node& node, const std::string& metric) {
  const MetricDefinition& definition = *find_metric(metric);
  if (definition.bound != Bound::at_most || definition.unit == MetricUnit::required)
    core::refuse(node, fmt::format("'up_to': what exceeds {} is no number", metric));
  return toml_limit(node, name_in_words(definition, metric)).limit;
}

Waiver waiver_of(const toml::node& node) {
  Waiver waiver{.phase = "*", .metric = {}, .reason = {}, .until = {}};
  const toml::node* up_to = nullptr;
  for (const auto& [key, value] : core::toml_table(node, "waiver")) {
    if (key == "phase") {
      waiver.phase = one_line(value, "phase");
    } else if (key == "limit") {
      const auto metric = metric_named(one_line(value, "limit"));
      if (!metric) core::refuse(value, fmt::format("'limit': {}; {}", metric.error().text, metric.error().hint));
      waiver.metric = *metric;
    } else if (key == "reason") {
      waiver.reason = one_line(value, "reason");
    } else if (key == "until") {
      waiver.until = last_day_of(value);
    } else if (key == "up_to") {
      up_to = &value;
    } else {
      core::refuse(value, fmt::format("unknown key '{}' in [[waiver]]", std::string_view(key)));
    }
  }
  for (const auto& [what, there] : {std::pair{"limit", !waiver.metric.empty()},
                                    {"reason", !waiver.reason.empty()},
                                    {"until", !waiver.until.empty()}})
    if (!there) core::refuse(node, fmt::format("a [[waiver]] needs '{}'", what));
  if (up_to != nullptr) waiver.up_to = ceiling_of(*up_to, waiver.metric);
  return waiver;
}

std::vector<std::pair<std::string, double>> ratios_of(const toml::node& node) {
  std::vector<std::pair<std::string, double>> ratios;
  for (const auto& [key, value] : core::toml_in_order(core::toml_table(node, "ratio"))) {
    core::refuse_dotted_key(value, key);
    const auto metric = metric_named(key);
    if (!metric) core::refuse(value, fmt::format("'{}': {}", key, metric.error().text));
    const MetricDefinition& definition = *find_metric(*metric);
    if (definition.of_cpu == nullptr || definition.unit != MetricUnit::nanoseconds)
      core::refuse(value, fmt::format("'{}': only latencies are compared with a baseline", key));
    const auto ratio = value.value<double>();
    if (!value.is_number() || !ratio || !(*ratio >= 1 && *ratio <= 1000))
      core::refuse(value, fmt::format("'{}' must be a ratio from 1 to 1000: 1.2", key));
    ratios.emplace_back(*metric, *ratio);
  }
  if (ratios.empty()) core::refuse(node, "[baseline.ratio] has no metric");
  return ratios;
}

// A name that is none would never let anything differ.
std::vector<std::string> differences_of(const toml::node& value) {
  std::vector<std::string> groups = core::toml_texts(value, "may_differ");
  for (const std::string& group : groups)
    if (std::find(kMustBeTheSame.begin(), kMustBeTheSame.end(), group) == kMustBeTheSame.end())
      core::refuse(value, fmt::format("may_differ: \"{}\" is none of {}", group, fmt::join(kMustBeTheSame, ", ")));
  return groups;
}

std::vector<std::string> phases_of_baseline(const toml::node& value) {
  if (value.is_string()) return {one_line(value, "phase")};
  std::vector<std::string> names;
  for (const std::string& name : core::toml_texts(value, "phase"))
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  if (names.empty()) core::refuse(value, "'phase' names none");
  return names;
}

void read_baseline_of(const toml::node& node, GateText& text) {
  Baseline& baseline = text.gate.baseline.emplace();
  for (const auto& [key, value] : core::toml_table(node, "baseline")) {
    if (key == "runs")
      text.baseline_paths = value.is_string() ? std::vector{one_line(value, "runs")} : core::toml_texts(value, "runs");
    else if (key == "phase")
      baseline.phases = phases_of_baseline(value);
    else if (key == "ratio")
      baseline.ratios = ratios_of(value);
    else if (key == "may_differ")
      baseline.may_differ = differences_of(value);
    else
      core::refuse(value, fmt::format("unknown key '{}' in [baseline]", std::string_view(key)));
  }
  if (text.baseline_paths.empty()) core::refuse(node, "[baseline] needs 'runs'");
  if (baseline.ratios.empty()) core::refuse(node, "[baseline] needs a [baseline.ratio]");
}

template <typename Read>
void each_of(const toml::node& node, std::string_view key, const Read& read) {
  const toml::array* array = node.as_array();
  if (array == nullptr) core::refuse(node, fmt::format("'{}' is written as [[{}]], with two brackets", key, key));
  for (const toml::node& element : *array) read(element);
}

std::string folder_of(const toml::node& node) {
  std::string folder = one_line(node, "folder");
  if (!folder.starts_with('/')) core::refuse(node, "'folder' must begin at the root: /srv/baselines");
  return folder;
}

GateText gate_of(const toml::table& document) {
  GateText text;
  Gate& gate = text.gate;
  for (const auto& [key, value] : document) {
    if (key == "name")
      gate.name = one_line(value, "name");
    else if (key == "folder")
      text.folder = folder_of(value);
    else if (key == "may_be_invalid")
      gate.may_be_invalid = core::toml_texts(value, "may_be_invalid");
    else if (key == "limits")
      each_of(value, "limits", [&](const toml::node& node) {
        for (Rule& rule : limits_of_table(node)) gate.rules.push_back(std::move(rule));
      });
    else if (key == "waiver")
      each_of(value, "waiver", [&](const toml::node& node) { gate.waivers.push_back(waiver_of(node)); });
    else if (key == "baseline")
      read_baseline_of(value, text);
    else
      core::refuse(value, fmt::format("unknown key '{}'", std::string_view(key)));
  }
  if (gate.rules.empty() && !gate.baseline) core::refuse(document, "the gate has no [[limits]] and no [baseline]");
  const bool can_fail = gate.baseline || std::any_of(gate.rules.begin(), gate.rules.end(),
                                                     [](const Rule& rule) { return !rule.soft || rule.cpus_over; });
  if (!can_fail) core::refuse(document, "nothing in this gate can fail: give a hard limit, cpus_over or a [baseline]");
  return text;
}

}  // namespace

core::Result<GateText> parse_gate(std::string_view text, const std::string& file_name) {
  core::Result<GateText> read = core::read_toml(text, file_name, kGateHint, gate_of);
  if (read && read->gate.name.empty()) read->gate.name = file_name;
  return read;
}

}  // namespace maxlat::reports
