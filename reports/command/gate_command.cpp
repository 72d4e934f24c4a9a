// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>
#include <maxlat/reports/gate.hpp>
#include <maxlat/reports/gate_command.hpp>
#include <optional>

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
  add("max", core::argument("TIME"), "largest sample at most TIME: 50us, 1ms; every time needs its unit");
  add("mean", core::argument("TIME"), "mean at most TIME (of no use alone: a tail hides in it)");
  add("quantile", core::argument<Words>("Q=TIME")->composing(),
      "any quantile at most TIME: p99.99=20us; may be repeated");
  add("exposure", core::argument("TIME"), "CPU time watched at least TIME, all CPUs of a phase together");
  add("load-alive", "every load lived to the end of its phase");
  add("json", core::argument("FILE"), "write the run with this verdict to FILE (- is standard output)");
  add("quiet,q", "print nothing, the exit status tells");
  add("help,h", "this help");
  return options;
}

struct Limit {
  std::string metric;
  double value = 0;
};

// Collects limits, and keeps the first thing that is wrong with them.
class Limits {
 public:
  explicit Limits(const core::CommandLine& line) : line_(line) {
    time("max", "max_ns", 1);
    if (line.has("quantile")) {
      for (const auto& text : line.get<std::vector<std::string>>("quantile")) quantile(text);
    }
    time("mean", "mean_ns", 1);
    time("exposure", "exposure_s", 1e9);
    if (line.has("load-alive")) limits_.push_back({"load_alive", 1});
  }
  const std::vector<Limit>& limits() const { return limits_; }
  const std::optional<core::Error>& error() const { return error_; }

 private:
  void add(const char* option, const std::string& metric, const std::string& text, double ns_in_unit) {
    const auto ns = core::parse_duration_ns(text, core::kUnitNeeded);
    if (ns)
      limits_.push_back({metric, static_cast<double>(*ns) / ns_in_unit});
    else if (!error_)
      error_ = core::Error{fmt::format("--{}: {}", option, ns.error().text), ns.error().hint};
  }
  void time(const char* option, const char* metric, double ns_in_unit) {
    if (line_.has(option)) add(option, metric, line_.get<std::string>(option), ns_in_unit);
  }
  void quantile(const std::string& text) {
    const size_t equals = text.find('=');
    if (text.find_first_of("0123456789") == 0) {
      if (!error_)
        error_ = core::Error{fmt::format("--quantile {}: a quantile begins with a p", text), "write p" + text};
      return;
    }
    if (equals != std::string::npos) return add("quantile", text.substr(0, equals) + "_ns", text.substr(equals + 1), 1);
    if (!error_) error_ = core::Error{fmt::format("--quantile {} has no limit", text), "write p99.99=20us"};
  }

  const core::CommandLine& line_;
  std::vector<Limit> limits_;
  std::optional<core::Error> error_;
};

core::Result<std::vector<Rule>> rules_from(const core::CommandLine& line) {
  const Limits limits(line);
  if (limits.error()) return *limits.error();
  if (limits.limits().empty())
    return core::Error{"no limit given: there is nothing to judge by",
                       "give --max, --quantile, --exposure or --load-alive"};
  std::vector<std::string> phases = {"*"};
  if (line.has("phase")) phases = line.get<std::vector<std::string>>("phase");
  std::vector<Rule> rules;
  for (const auto& phase : phases) {
    for (const auto& limit : limits.limits()) {
      auto rule = make_rule(phase, limit.metric, limit.value);
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
