// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/result/run_frame.hpp>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/terminal.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <maxlat/core/sys/version.hpp>
#include <maxlat/rteval_ext/check_command.hpp>

#include "check_fix.hpp"
#include "check_table.hpp"
#include "plan/placement.hpp"
#include "run/phase_runner.hpp"

namespace maxlat::rteval_ext {
namespace {

namespace po = boost::program_options;

constexpr core::CommandHelp kHelp{
    "maxlat check [options]",
    "Compares the settings of this box with what a measurement of worst cases needs: observed, expected, why, and\n"
    "how to fix it. Reads only. What cannot be read is unknown, never ok.",
    "  maxlat check -a 2-5                           the settings that matter when CPUs 2 to 5 are measured\n"
    "  maxlat check --strict -q || echo not tuned    in a script\n"
    "  maxlat check --fix -a 2-5                     what a shield of them would write\n"};

po::options_description options() {
  po::options_description all("Options");
  auto add = all.add_options();
  add("affinity,a", core::argument<core::CpuListArgument>("CPUS"),
      "CPUs that will be measured (default: isolated, else all but the first)");
  add("fix", "instead of the table, what maxlat shield on would write, as a script: a dry run");
  add("strict", "exit status 2 when a setting is bad, 3 when none is but some are unknown");
  add("json", core::argument("FILE"), "the result, with the machine's fingerprint (-: stdout)");
  add("quiet,q", "the counts only");
  add("verbose,v", "the reason and the fix of every setting, values whole");
  add("help,h", "this text");
  return all;
}

core::Result<core::CpuList> measured_cpus(const core::CommandLine& line) {
  if (line.has("affinity")) {
    const core::CpuList& cpus = line.get<core::CpuListArgument>("affinity").cpus;
    if (const core::Status usable = core::require_usable(cpus); !usable) return usable.error();
    return cpus;
  }
  const core::Result<core::MachineCpus> machine = core::machine_cpus();
  if (!machine) return machine.error();
  return core::default_measured(*machine);
}

core::RunResult check_result(const core::MachineView& machine, const core::Arguments& arguments) {
  core::Phase phase;
  phase.name = phase.kind = core::kPreflightKind.name;
  phase.started = core::utc_text();
  std::vector<std::string> command{"maxlat", "check"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  phase.command = core::quote_command(command);
  phase.facts["measured CPUs"] = core::to_string(machine.measured_cpus);
  phase.status = core::PhaseStatus::ok;

  core::RunResult run = core::run_frame("check", phase.started);
  run.preflight = core::observe_all(machine);
  core::say_machine(run, machine);
  run.phases.push_back(std::move(phase));
  run.ended = core::utc_text();
  return run;
}

CheckTextStyle style_of(std::FILE* stream, bool verbose) {
  CheckTextStyle style{.verbose = verbose};
  if (::isatty(::fileno(stream)) == 0) return style;
  style.colour = std::getenv("NO_COLOR") == nullptr;
  if (const auto width = core::terminal_width(::fileno(stream))) style.width = std::clamp<size_t>(*width, 80, 160);
  return style;
}

void print_result(std::FILE* stream, const core::RunResult& run, const core::CpuList& measured,
                  const core::CommandLine& line) {
  const CheckCounts counts = count(run.preflight);
  const CheckTextStyle style = style_of(stream, line.has("verbose"));
  if (!line.has("quiet")) {
    fmt::print(stream, "settings for measuring CPU {}\n\n", core::to_string(measured));
    fmt::print(stream, "{}\n", check_table(run.preflight, style));
    const std::string reasons = check_reasons(run.preflight, style);
    if (!reasons.empty()) fmt::print(stream, "{}\n", reasons);
    for (const std::string& why : run.verdict.not_comparable)
      fmt::print(stream, "{}", core::wrapped(why, style.width, "not comparable with bare metal: ", "  "));
  }
  fmt::print(stream, "{}\n", check_summary(counts));
  if (!line.has("quiet") && counts.unknown > 0 && ::geteuid() != 0)
    fmt::print(stream, "root can read more of what is unknown\n");
}

void print_fixes(std::FILE* stream, const core::MachineView& machine, bool quiet) {
  const std::vector<core::Remedy> all = remedies(machine);
  if (!quiet)
    fmt::print(stream, "{}",
               fix_script(all, machine, {.width = style_of(stream, false).width, .is_root = ::geteuid() == 0}));
  fmt::print(stream, "# {}\n", fix_summary(all, machine));
}

core::Result<core::Exit> run_check(const core::Arguments& arguments) {
  const po::options_description known = options();
  const auto parsed = core::parse_or_help(kHelp, known, arguments);
  if (!parsed) return parsed.error();
  if (!*parsed) return core::Exit::pass;
  const core::CommandLine& line = **parsed;
  if (!line.operands.empty())
    return core::Error{fmt::format("unexpected '{}'", line.operands.front()), "maxlat check --help lists the options"};

  const core::Result<core::CpuList> measured = measured_cpus(line);
  if (!measured) return measured.error();
  const core::MachineView machine{.measured_cpus = *measured};
  const core::RunResult run = check_result(machine, arguments);
  bool json_on_stdout = false;
  if (line.has("json")) {
    const std::string& path = line.get<std::string>("json");
    if (const core::Status written = core::write_run(path, run); !written) return written.error();
    json_on_stdout = path == "-";
  }
  // A reader of the JSON must get nothing but JSON.
  std::FILE* const stream = json_on_stdout ? stderr : stdout;
  if (line.has("fix"))
    print_fixes(stream, machine, line.has("quiet"));
  else
    print_result(stream, run, *measured, line);
  return line.has("strict") ? strict_exit(count(run.preflight)) : core::Exit::pass;
}

}  // namespace

const core::Command& check_command() {
  static constexpr core::Command kCommand{"check", "pre-flight: what is set on this box, what should be, and why",
                                          run_check};
  return kCommand;
}

}  // namespace maxlat::rteval_ext
