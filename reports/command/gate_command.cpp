// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <charconv>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>
#include <maxlat/reports/gate.hpp>
#include <maxlat/reports/gate_command.hpp>
#include <maxlat/reports/metric_definition.hpp>

#include "result_path.hpp"

namespace maxlat::reports {
namespace {

namespace po = boost::program_options;

constexpr unsigned kWidth = 120;

constexpr core::CommandHelp kHelp = {
    "maxlat gate [options] RUN",
    "Judges a stored run by limits: a value equal to its limit passes, and a latency is that of the\n"
    "worst CPU. RUN is the folder of a run, or a result file.\n"
    "Exit status: 0 every rule passed, 2 a limit was exceeded, 3 something was not (validly) measured.",
    "  maxlat gate npt.json --max 50us --exposure 60s              worst sample and time watched\n"
    "  maxlat gate DIR --phase cyclictest --quantile p99.99=20us   one quantile of one kind of phase\n"};

po::options_description make_options() {
  using Words = std::vector<std::string>;
  po::options_description options("Options");
  auto add = options.add_options();
  add("phase", core::argument<Words>("NAME")->composing(),
      "judge this phase, by name or kind; may be repeated (default: all that measure, but no arm of a tracer)");
  for (const MetricDefinition* metric : metric_table()) {
    const std::string option(metric->option), argument(metric->argument), help(metric->help);
    if (metric->argument.empty())
      add(option.c_str(), help.c_str());
    else if (metric->has_name != nullptr)
      add(option.c_str(), core::argument<Words>(argument.c_str())->composing(), help.c_str());
    else
      add(option.c_str(), core::argument(argument.c_str()), help.c_str());
  }
  add("json", core::argument("FILE"), "write the run with this verdict to FILE (- is standard output)");
  add("quiet,q", "print nothing, the exit status tells");
  add("help,h", "this help");
  return options;
}

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
    if (!line.has(option)) continue;
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

core::Result<std::vector<Rule>> rules_from(const core::CommandLine& line) {
  const auto limits = limits_of_options(line);
  if (!limits) return limits.error();
  if (limits->empty())
    return core::Error{"no limit given: there is nothing to judge by", "maxlat gate --help lists the limits"};
  std::vector<std::string> phases = {"*"};
  if (line.has("phase")) phases = line.get<std::vector<std::string>>("phase");
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

// Each failure once: what exceeded its limit stands in the table with its figure, why something was not measured stands
// below it, whole.
std::string verdict_text(const core::Verdict& verdict) {
  core::TextTable table({"rule", "limit", "observed", "result"});
  for (const auto& rule : verdict.rules) {
    const bool measured = rule.outcome != core::RuleResult::Outcome::invalid;
    table.row({rule.rule, rule.limit, measured ? rule.observed : "not measured", core::to_string(rule.outcome)});
  }
  std::string text = table.text(kWidth, "") + fmt::format("\nverdict: {}\n", core::to_string(verdict.kind));
  for (const auto& reason : verdict.reasons)
    if (!tells_a_limit(reason)) text += "  - " + core::printable(reason) + "\n";
  if (!verdict.not_comparable.empty()) text += "NOT COMPARABLE WITH BARE METAL\n";
  for (const auto& reason : verdict.not_comparable) text += "  - " + core::printable(reason) + "\n";
  return text;
}

core::Result<core::Exit> run_gate(const core::Arguments& arguments) {
  const auto options = make_options();
  const auto parsed = core::parse_or_help(kHelp, options, arguments);
  if (!parsed) return parsed.error();
  if (!*parsed) return core::Exit::pass;
  const core::CommandLine& line = **parsed;
  const auto rules = rules_from(line);
  if (!rules) return rules.error();
  auto stored = read_operand(line.operands);
  if (!stored) return stored.error();

  stored->run.verdict = judge(stored->run, *rules);
  const std::string json = line.has("json") ? line.get<std::string>("json") : "";
  if (!line.has("quiet") && json != "-") {
    if (const auto printed = core::write_atomically("-", verdict_text(stored->run.verdict)); !printed)
      return printed.error();
  }
  if (!json.empty()) {
    if (const auto written = core::write_run(json, stored->run); !written) return written.error();
  }
  return exit_status(stored->run.verdict);
}

}  // namespace

const core::Command& gate_command() {
  static constexpr core::Command kCommand = {"gate", "judge a stored run by limits", run_gate};
  return kCommand;
}

}  // namespace maxlat::reports
