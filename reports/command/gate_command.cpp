// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>
#include <maxlat/reports/gate.hpp>
#include <maxlat/reports/gate_command.hpp>
#include <maxlat/reports/limit_toml.hpp>
#include <maxlat/reports/metric_definition.hpp>
#include <optional>

#include "../verdict/verdict_format.hpp"
#include "gate_limits.hpp"
#include "result_path.hpp"

namespace maxlat::reports {
namespace {

namespace po = boost::program_options;

constexpr const char* kNameless = "maxlat gate";  // of limits without a file

constexpr core::CommandHelp kHelp = {
    "maxlat gate [options] RUN",
    "Judges a stored run by limits: a value equal to its limit passes, and a latency is that of the\n"
    "worst CPU. RUN is the folder of a run, or a result file. A run must keep the limits of its own plan\n"
    "and of the gate it was judged by, where no other is given; limits as options come on top. docs/gate.md describes\n"
    "the gate file.\n"
    "Exit status: 0 every rule passed, 2 a limit was exceeded, 3 something was not (validly) measured.",
    "  maxlat gate DIR                                             by the limits of its own plan and gate\n"
    "  maxlat gate npt.json --max 50us --exposure 60s              worst sample and time watched\n"
    "  maxlat gate DIR --file box17.toml --format junit=gate.xml   a gate file, for a CI server\n"};

po::options_description make_options() {
  using Words = std::vector<std::string>;
  po::options_description options("Options");
  auto add = options.add_options();
  add("file", core::argument("GATE"),
      "limits, waivers and baseline from this file (TOML), in place of the gate of the run");
  add("phase", core::argument<Words>("NAME")->composing(),
      "the limits given as options are of this phase, by name or kind; may be repeated (default: all that measure, but "
      "no arm of a tracer)");
  add_limit_options(options);
  const std::string about_formats =
      fmt::format("write the verdict to FILE, or in place of the table, as {}; may be repeated",
                  core::names_of(verdict_format_rows()));
  add("format", core::argument<Words>("NAME[=FILE]")->composing(), about_formats.c_str());
  add("json", core::argument("FILE"),
      "write the run with this verdict, and what it was judged by, to FILE (- is standard output)");
  add("list-metrics", "name what a gate file or a plan can limit");
  add("quiet,q", "print nothing, the exit status tells");
  add("help,h", "this help");
  return options;
}

void list_metrics() {
  constexpr size_t kMetricWidth = 18;
  for (const MetricDefinition* metric : metric_table())
    fmt::print("{}", core::list_line(metric->name, metric->help, kMetricWidth));
}

// By the command line.
struct Given {
  std::optional<Gate> gate;  // of --file
  std::string file;
  std::vector<Rule> limits;  // given as options
};

core::Result<Given> given_by(const core::CommandLine& line) {
  const auto limits = limits_given(line);
  if (!limits) return limits.error();
  if (line.has("phase") && limits->empty())
    return core::Error{"--phase chooses the phases of limits that are given as options, and there is none",
                       "a gate file names the phases of its limits itself"};
  Given given{.gate = {}, .file = {}, .limits = *limits};
  if (!line.has("file")) return given;
  given.file = line.get<std::string>("file");
  core::Result<Gate> gate = read_gate(given.file);
  if (!gate) return gate.error();
  given.gate = *std::move(gate);
  return given;
}

// The limits of its plan always; beside them the gate that was given, else the run's own; and those given as options.
core::Result<Gate> gate_for(const StoredRun& stored, const Given& given) {
  core::Result<Gate> gate = gate_of_run(stored.run, stored.path, given.gate);
  if (!gate) return gate;
  gate->rules.insert(gate->rules.end(), given.limits.begin(), given.limits.end());
  if (gate->rules.empty() && !gate->baseline)
    return core::Error{"no limit given, and the run has none of its own: there is nothing to judge by",
                       "--max 100us, or a gate file: --file GATE.toml; maxlat gate --help lists the limits"};
  if (gate->name.empty()) gate->name = kNameless;
  return gate;
}

// The run with its new verdict keeps what it was judged by, for whoever judges it again without another gate.
core::Result<std::string> text_to_keep(const core::RunResult& run, const Given& given) {
  core::Result<std::string> kept = given.gate ? gate_to_keep(given.file) : run.gate_text;
  if (!kept) return kept.error();
  std::string text = *std::move(kept);
  if (given.limits.empty()) return text;
  if (text.empty()) text = fmt::format("name = \"{}\"\n", kNameless);
  text += "\n" + limits_as_toml(given.limits) + "\n";
  const core::Result<GateText> sound = parse_gate(text, "the gate with the limits given as options");
  if (!sound) return core::Error{"--json: " + sound.error().text, "write limits in the gate file as [[limits]]"};
  return text;
}

// A format and where it goes; "-": standard output.
struct VerdictOutput {
  const VerdictFormat* format;
  std::string file;
};

core::Result<std::vector<VerdictOutput>> outputs_given(const core::CommandLine& line) {
  std::vector<VerdictOutput> outputs;
  size_t printed = line.has("json") && line.get<std::string>("json") == "-" ? 1 : 0;
  if (!line.has("format")) return outputs;
  for (const std::string& text : line.get<std::vector<std::string>>("format")) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals), file = equals == text.npos ? "-" : text.substr(equals + 1);
    const VerdictFormat* found = nullptr;
    for (const VerdictFormat* format : verdict_format_rows())
      if (format->name == name) found = format;
    if (found == nullptr)
      return core::Error{fmt::format("--format: there is no \"{}\"", name),
                         "formats are " + core::names_of(verdict_format_rows())};
    if (file.empty())
      return core::Error{"--format " + text + " names no file", "without the = it goes to standard output"};
    if (file == "-" && ++printed > 1)
      return core::Error{"only one thing can be written to standard output", "name a file: --format junit=gate.xml"};
    if (const core::Status writable = core::check_writable(file); !writable) return writable.error();
    outputs.push_back({found, file});
  }
  return outputs;
}

// GitHub's runner takes a line that begins with "::", blanks before it or not, and "##[" anywhere in it, for a command
// to itself.
std::string without_commands(std::string text) {
  for (size_t line = 0; line < text.size(); ++line) {
    const size_t first = text.find_first_not_of(" \t", line);
    if (first != text.npos && text.compare(first, 2, "::") == 0) text.insert(first, "phase ");
    line = std::min(text.find('\n', line), text.size());
  }
  for (size_t at = text.find("##["); at != text.npos; at = text.find("##[", at)) text.insert(at + 1, " ");
  return text;
}

// The table cuts names to the width of a screen. Below it stands whole what failed, and why something was not measured.
std::string verdict_text(const core::Verdict& verdict) {
  core::TextTable table({"rule", "limit", "observed", "result"});
  for (const auto& rule : verdict.rules) {
    const bool measured = rule.outcome != core::RuleResult::Outcome::invalid;
    table.row({rule.rule, rule.limit, measured ? rule.observed : rule.observed.substr(0, rule.observed.find(':')),
               core::to_string(rule.outcome)});
  }
  std::string text = table.text(core::kTextWidth, "") + fmt::format("\nverdict: {}\n", core::to_string(verdict.kind));
  for (const auto& reason : verdict.reasons) text += "  - " + core::printable(reason) + "\n";
  if (!verdict.not_comparable.empty()) text += "NOT COMPARABLE WITH BARE METAL\n";
  for (const auto& reason : verdict.not_comparable) text += "  - " + core::printable(reason) + "\n";
  return without_commands(std::move(text));
}

// The one on standard output has the place of the table. That comes last: below a verdict stands no error.
core::Status write_outputs(const core::CommandLine& line, const JudgedRun& judged,
                           const std::vector<VerdictOutput>& outputs) {
  const std::string json = line.has("json") ? line.get<std::string>("json") : "";
  bool table = !line.has("quiet") && json != "-";
  if (!json.empty())
    if (const core::Status written = core::write_run(json, judged.run); !written) return written;
  for (const VerdictOutput& output : outputs) {
    table = table && output.file != "-";
    if (const core::Status written = core::write_atomically(output.file, output.format->write(judged)); !written)
      return written;
  }
  if (table)
    if (const auto printed = core::write_atomically("-", verdict_text(judged.run.verdict)); !printed) return printed;
  return {};
}

// --json may be the result itself: it then has its new verdict.
core::Status outputs_are_apart(const core::CommandLine& line, const std::vector<VerdictOutput>& outputs,
                               const std::string& result) {
  const auto named = [&](const char* option) { return line.has(option) ? line.get<std::string>(option) : ""; };
  std::vector<std::string> files;
  for (const VerdictOutput& output : outputs) files.push_back(output.file);
  if (const core::Status apart = core::check_apart(files, {result, named("file"), named("json")}); !apart) return apart;
  return core::check_apart({named("json")}, {named("file")});
}

core::Result<core::Exit> run_gate(const core::Arguments& arguments) {
  const auto options = make_options();
  const auto parsed = core::parse_or_help(kHelp, options, arguments);
  if (!parsed) return parsed.error();
  if (!*parsed) return core::Exit::pass;
  const core::CommandLine& line = **parsed;
  if (line.has("list-metrics")) {
    list_metrics();
    return core::Exit::pass;
  }
  const auto outputs = outputs_given(line);
  if (!outputs) return outputs.error();
  const auto given = given_by(line);
  if (!given) return given.error();
  auto stored = read_operand(line.operands);
  if (!stored) return stored.error();
  const auto gate = gate_for(*stored, *given);
  if (!gate) return gate.error();
  if (const core::Status apart = outputs_are_apart(line, *outputs, stored->path); !apart) return apart.error();
  stored->run.verdict = judge(stored->run, *gate, today_utc());
  if (line.has("json")) {
    core::Result<std::string> text = text_to_keep(stored->run, *given);
    if (!text) return text.error();
    stored->run.gate_text = *std::move(text);
  }
  if (const core::Status written = write_outputs(line, {stored->run, gate->name}, *outputs); !written)
    return written.error();
  return exit_status(stored->run.verdict);
}

}  // namespace

const core::Command& gate_command() {
  static constexpr core::Command kCommand = {"gate", "judge a stored run by limits", run_gate};
  return kCommand;
}

}  // namespace maxlat::reports
