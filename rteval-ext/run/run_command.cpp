// SPDX-License-Identifier: MIT
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <maxlat/core/result/run_frame.hpp>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/input_file.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/terminal.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <maxlat/reports/gate.hpp>
#include <maxlat/reports/report.hpp>
#include <maxlat/rteval_ext/run_command.hpp>
#include <maxlat/shield/held_shield.hpp>
#include <optional>
#include <random>
#include <sstream>

#include "orchestrator.hpp"
#include "phase_runner.hpp"
#include "plan/plan_toml.hpp"
#include "plan/plan_write.hpp"
#include "plan/profiles.hpp"
#include "plan/steps.hpp"

namespace maxlat::rteval_ext {

namespace {

namespace po = boost::program_options;

constexpr core::CommandHelp kHelp{
    "maxlat run [options]",
    "Validates this box: pre-flight, positive control, hardware latency, cyclictest under load, npt idle and\n"
    "under load, control again, report. Each phase is on disk before the next begins; ^C keeps what was measured.",
    "  maxlat run                                three minutes on the isolated CPUs, or on all but the first\n"
    "  maxlat run --plan my.toml -a 2-5 -o soak  an own plan, with limits, on CPUs 2 to 5\n"};

po::options_description options() {
  using Words = std::vector<std::string>;
  po::options_description plan("What to do");
  auto add = plan.add_options();
  add("profile", core::argument("NAME"), "built-in plan: quick (the default), standard, soak, paper");
  add("plan", core::argument("FILE"), "own plan in TOML (docs/plan.md)");
  add("gate", core::argument("FILE"), "judge by this gate file, too (docs/gate.md)");
  add("skip", core::argument<Words>("PHASE"), "leave a phase out, by name or kind; may be repeated");
  add("seed", core::argument<uint64_t>("N"), "seed of everything random (default: random; it is in the result)");
  add("list-profiles", "names the built-in plans");
  add("print-plan", "prints the plan as it would run, in TOML");

  po::options_description where("Where");
  add = where.add_options();
  add("affinity,a", core::argument<core::CpuListArgument>("CPUS"),
      "CPUs to measure (default: isolated, else all but the first)");
  add("load-cpus", core::argument<core::CpuListArgument>("CPUS"), "CPUs for the loads (default: the others)");
  add("shield", "sets the measured CPUs up as maxlat shield on does, and undoes it at the end; no run where it cannot");
  add("housekeeping", core::argument<core::CpuListArgument>("CPUS"),
      "CPUs of the shield for everything else, the loads too (default: all others)");
  add("no-shield", "no shield, whatever the plan says (standard and soak want one)");
  add("no-dma-latency", "does not hold /dev/cpu_dma_latency at 0 while npt, hwlat or a tracer measures");
  add("no-kernel-events", "nobody looks who had the time of the phases' largest samples (docs/who-did-it.md)");
  add("output,o", core::argument("DIR"), "directory of the run (default: maxlat-run-DATE-TIME)");
  add("resume", core::argument("DIR"), "goes on with an interrupted or killed run");

  po::options_description rest("How");
  add = rest.add_options();
  add("label", core::argument("TEXT"), "a line about this run, for result, report and summary");
  add("annotate", core::argument<Words>("KEY=VALUE"), "a value about this run, for result and report; may be repeated");
  add("quiet,q", "no progress; the summary is printed");
  add("help,h", "this text");

  po::options_description all;
  all.add(plan).add(where).add(rest);
  return all;
}

struct PlanText {
  std::string text;
  std::string file;  // for "FILE:LINE:"
};

core::Result<PlanText> plan_text(const core::CommandLine& line) {
  if (line.has("plan")) {
    const std::string path = line.get<std::string>("plan");
    core::Result<std::string> text = core::read_input(path);
    if (!text) return core::Error{text.error().text, "maxlat run --list-profiles names the built-in plans"};
    return PlanText{*std::move(text), path};
  }
  const std::string name = line.has("profile") ? line.get<std::string>("profile") : "quick";
  const Profile* profile = find_profile(name);
  if (profile == nullptr) {
    return core::Error{fmt::format("no built-in plan is named '{}'", name), "maxlat run --list-profiles names them"};
  }
  return PlanText{std::string(profile->text), name};
}

// What the command line says of the plan goes into it, so that the run's own record has it and --resume needs nothing
// else.
core::Result<PlanText> with_options(PlanText given, const core::CommandLine& line) {
  const auto has = [&](const char* option) { return line.has(option); };
  const bool about_shield = has("shield") || has("no-shield");
  if (!has("affinity") && !has("load-cpus") && !about_shield && !has("housekeeping") && !has("no-dma-latency") &&
      !has("no-kernel-events"))
    return given;
  core::Result<Plan> plan = parse_plan(given.text, given.file);
  if (!plan) return plan.error();
  for (PhasePlan& phase : plan->phases) {
    if (line.has("affinity")) phase.cpus = core::to_string(line.get<core::CpuListArgument>("affinity").cpus);
    if (line.has("load-cpus") && !phase.loads.empty()) {
      phase.load_cpus = core::to_string(line.get<core::CpuListArgument>("load-cpus").cpus);
    }
  }
  if (has("no-dma-latency")) plan->dma_latency = false;
  if (has("no-kernel-events")) plan->kernel_events = false;
  if (about_shield) plan->shield = line.has("shield") ? ShieldUse::required : ShieldUse::none;
  if (has("no-shield")) plan->housekeeping.clear();
  if (has("housekeeping")) plan->housekeeping = line.get<core::CpuListArgument>("housekeeping").cpus;
  if (has("housekeeping") && plan->shield == ShieldUse::none)
    return core::Error{"--housekeeping needs a shield, and this plan has none", "add --shield"};
  given.text = to_toml(*plan);
  return given;
}

void list_profiles() {
  for (const Profile& profile : profiles()) {
    const core::Result<Plan> plan = parse_plan(profile.text, std::string(profile.name));
    fmt::print("{}", core::list_line(profile.name, plan ? plan->about : plan.error().text));
  }
}

// For people who look for it in a folder: by their clock.
std::string name_of_new_directory() {
  const auto now = std::chrono::system_clock::now();
  return fmt::format("maxlat-run-{:%Y%m%d-%H%M%S}", fmt::localtime(std::chrono::system_clock::to_time_t(now)));
}

uint64_t random_seed() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

// What the user says of the run. It stands in one line of page and summary.
core::Status describe(const core::CommandLine& line, core::RunResult& run) {
  const auto one_line = [](const std::string& text) {
    return std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  };
  if (line.has("label")) run.label = line.get<std::string>("label");
  if (!one_line(run.label)) return core::Error{"--label: must be one line of text", "--label 'box 17, new BIOS'"};
  if (!line.has("annotate")) return {};
  for (const std::string& text : line.get<std::vector<std::string>>("annotate")) {
    const size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    if (equals == std::string::npos || key.empty() || !one_line(text))
      return core::Error{fmt::format("--annotate: '{}' is not KEY=VALUE", text), "--annotate bios=2.4"};
    if (!run.annotations.emplace(key, text.substr(equals + 1)).second)
      return core::Error{fmt::format("--annotate: '{}' is given twice", key), "one value a key"};
  }
  return {};
}

core::Status refuse_with_resume(const core::CommandLine& line) {
  for (const char* option :
       {"profile", "plan", "gate", "seed", "affinity", "load-cpus", "shield", "housekeeping", "no-shield",
        "no-dma-latency", "no-kernel-events", "output", "print-plan", "label", "annotate"}) {
    if (line.given(option)) {
      return core::Error{fmt::format("--resume takes no --{}: the run has its own", option),
                         "the plan, its CPUs and its seed are those of the run that is resumed"};
    }
  }
  return {};
}

core::Result<core::Exit> end(const core::Result<Outcome>& ended, const RunDirectory& directory,
                             const std::string& name) {
  if (!ended) return ended.error();
  const core::RunResult& run = ended->run;
  std::vector<std::string> last;
  for (const std::string& warning : ended->warnings) last.push_back("warning: " + warning);
  if (const std::string why = reports::no_plots_because(); ended->has_report && !why.empty())
    last.push_back("warning: " + why);
  if (run.state == core::RunResult::State::interrupted) last.push_back("to go on: maxlat run --resume " + name);
  last.push_back(ended->has_report ? "report: " + directory.report_path() : "result: " + directory.result_path());
  const bool to_terminal = ::isatty(STDOUT_FILENO) == 1;
  fmt::print("{}", reports::run_summary(run, "maxlat report --text " + name, last, core::kScreenWidth, to_terminal));
  std::fflush(stdout);
  return reports::exit_status(run.verdict);
}

// As the run keeps it; empty: none was given.
core::Result<std::string> given_gate(const core::CommandLine& line) {
  return line.has("gate") ? reports::gate_to_keep(line.get<std::string>("gate")) : std::string{};
}

// The CPUs of this machine, without what a run that was killed still keeps everybody off.
core::Result<Bench> bench_of(const Plan& plan) {
  if (plan.shield != ShieldUse::none) shield::take_off_what_the_dead_hold();
  return real_bench();
}

core::Result<Outcome> gone_on(const RunDirectory& directory, const std::vector<std::string>& skip, bool quiet) {
  core::Result<core::RunResult> run = directory.read();
  if (!run) return run.error();
  const core::Result<Plan> plan = parse_plan(run->plan_text, directory.result_path() + " (its plan)");
  if (!plan) return plan.error();
  const core::Result<Bench> bench = bench_of(*plan);
  if (!bench) return bench.error();
  return orchestrate({*plan, std::move(*run), directory, *bench, skip, quiet});
}

core::Result<core::Exit> resume(const core::CommandLine& line, const std::vector<std::string>& skip) {
  if (const core::Status allowed = refuse_with_resume(line); !allowed) return allowed.error();
  const std::string name = line.get<std::string>("resume");
  const core::Result<RunDirectory> directory = RunDirectory::open(name);
  if (!directory) return directory.error();
  const core::Result<Outcome> ended = gone_on(*directory, skip, line.has("quiet"));
  if (!ended) directory->remove_unused();
  return end(ended, *directory, name);
}

core::Result<core::Exit> start(const core::CommandLine& line, const std::vector<std::string>& skip) {
  core::Result<PlanText> text = plan_text(line);
  if (!text) return text.error();
  text = with_options(std::move(*text), line);
  if (!text) return text.error();
  const core::Result<Plan> plan = parse_plan(text->text, text->file);
  if (!plan) return plan.error();
  core::RunResult run = core::run_frame("run", core::utc_text());
  if (const core::Status described = describe(line, run); !described) return described.error();
  const core::Result<Plan> left = left_by_skip(*plan, skip);
  if (!left) return left.error();
  if (line.has("print-plan")) {
    fmt::print("{}", skip.empty() ? text->text : to_toml(*left));
    return core::Exit::pass;
  }
  const core::Result<Bench> bench = bench_of(*plan);
  if (!bench) return bench.error();
  // Before the directory is made: a mistake in plan or gate leaves nothing behind.
  core::Result<std::string> gate = given_gate(line);
  if (!gate) return gate.error();
  if (const core::Status sound = check_plan(*left, *bench); !sound) return sound.error();

  const std::string name = line.has("output") ? line.get<std::string>("output") : name_of_new_directory();
  const core::Result<RunDirectory> directory = RunDirectory::create(name);
  if (!directory) return directory.error();
  run.plan = plan->name;
  run.plan_text = text->text;
  run.gate_text = *std::move(gate);
  run.seed = line.has("seed") ? line.get<uint64_t>("seed") : random_seed();
  const core::Result<Outcome> ended = orchestrate({*plan, std::move(run), *directory, *bench, skip, line.has("quiet")});
  if (!ended) directory->remove_unused();
  return end(ended, *directory, name);
}

core::Result<core::Exit> run(const core::Arguments& arguments) {
  const po::options_description all = options();
  const auto parsed = core::parse_or_help(kHelp, all, arguments);
  if (!parsed) return parsed.error();
  if (!*parsed) return core::Exit::pass;
  const core::CommandLine& line = **parsed;
  if (!line.operands.empty()) {
    return core::Error{fmt::format("unexpected argument '{}'", line.operands[0]),
                       "maxlat run --help lists the options"};
  }
  if (line.has("plan") && line.has("profile"))
    return core::Error{"--plan and --profile exclude each other", "give one of them"};
  if (line.has("shield") && line.has("no-shield"))
    return core::Error{"--shield and --no-shield exclude each other", "give one of them"};
  if (line.has("housekeeping") && line.has("no-shield"))
    return core::Error{"--housekeeping and --no-shield exclude each other", "give one of them"};
  if (line.has("list-profiles")) {
    list_profiles();
    return core::Exit::pass;
  }
  core::catch_stop_signals();
  const auto skip = line.has("skip") ? line.get<std::vector<std::string>>("skip") : std::vector<std::string>{};
  return line.has("resume") ? resume(line, skip) : start(line, skip);
}

}  // namespace

const core::Command& run_command() {
  static constexpr core::Command command{"run", "the main job: a whole validation, phase by phase, from a plan", run};
  return command;
}

}  // namespace maxlat::rteval_ext
