// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <maxlat/core/result/run_frame.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/tracefs.hpp>

#include "audit/audit.hpp"
#include "audit/audit_text.hpp"
#include "steps/shield.hpp"
#include "subcommand.hpp"

namespace maxlat::shield {
namespace {

namespace po = boost::program_options;

constexpr core::CommandHelp kAuditHelp{
    .synopsis = "maxlat shield audit [options]",
    .about =
        "Proves a shield: counts what interrupted its CPUs in a given time, and names who did it where the kernel's\n"
        "events can be had. A CPU is quiet, has only ticks, or is disturbed: then the exit status is 2.",
    .examples =
        "  maxlat shield audit                          the CPUs of the shield that is on, for 10 s\n"
        "  maxlat shield audit --cpus 2-3 -D 1m --own control-loop --limit 5\n"};

void add_audit_options(po::options_description& options) {
  auto add = options.add_options();
  add("cpus", core::argument<core::CpuListArgument>("CPUS"), "CPUs (default: those of the shield, else isolated ones)");
  add("duration,D", core::argument("TIME")->default_value("10s"), "how long to look (bare number: seconds)");
  add("limit", core::argument<double>("N")->default_value(1), "interruptions a second that are still quiet");
  add("own", core::argument<std::vector<std::string>>("TASK"),
      "name of a task that belongs there; switches to it do not count; may be repeated");
  add("no-events", "counts of /proc alone: nothing is switched on, nobody is named");
  add("json", core::argument("FILE"), "the result (-: stdout)");
}

core::Result<core::CpuList> cpus_to_audit(const core::CommandLine& line, const core::Result<ShieldStatus>& now) {
  if (line.has("cpus")) {
    const core::CpuList& cpus = line.get<core::CpuListArgument>("cpus").cpus;
    const core::Result<core::CpuList> online = core::online_cpus();
    if (!online) return online.error();
    if (const core::CpuList gone = core::difference(cpus, *online); !gone.empty())
      return core::Error{fmt::format("CPU {} does not exist here, or is offline", core::to_string(gone)),
                         "online are " + core::to_string(*online)};
    return cpus;
  }
  if (now && now->on) return now->cpus;
  if (core::CpuList isolated = core::isolated_cpus(); !isolated.empty()) return isolated;
  if (!now) return now.error();
  return core::Error{"no shield is on and no CPU is isolated: which CPUs?", "--cpus 2-3"};
}

// Those that are named, and those that were moved into the shield, as far as tasks have names here.
std::vector<std::string> own_tasks(const core::CommandLine& line, const core::Result<ShieldStatus>& now) {
  std::vector<std::string> own;
  if (line.has("own")) own = line.get<std::vector<std::string>>("own");
  if (now && !line.has("no-events") && core::open_tracefs(core::MachineView{}.root))
    own.insert(own.end(), now->moved_in.begin(), now->moved_in.end());
  std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());
  return own;
}

core::Exit exit_of(const core::Phase& phase, const std::vector<CpuVerdict>& verdicts) {
  if (phase.status != core::PhaseStatus::ok) return core::Exit::invalid;
  if (std::any_of(verdicts.begin(), verdicts.end(),
                  [](const CpuVerdict& verdict) { return verdict.kind == CpuVerdict::Kind::disturbed; }))
    return core::Exit::limit_exceeded;
  return all_switches_are_known(phase) ? core::Exit::pass : core::Exit::invalid;
}

// The same as a result's verdict, whose reasons are the CPUs that are disturbed, or why it is not known.
core::Verdict verdict_of(core::Exit exit, const core::Phase& phase, const std::vector<CpuVerdict>& verdicts) {
  using Kind = core::Verdict::Kind;
  core::Verdict verdict;
  verdict.kind = exit == core::Exit::pass             ? Kind::pass
                 : exit == core::Exit::limit_exceeded ? Kind::fail
                                                      : Kind::invalid;
  if (!phase.reason.empty()) verdict.reasons.push_back(phase.reason);
  if (verdict.kind == Kind::invalid)
    verdict.reasons.insert(verdict.reasons.end(), phase.warnings.begin(), phase.warnings.end());
  for (size_t i = 0; i < verdicts.size(); ++i)
    if (verdicts[i].kind == CpuVerdict::Kind::disturbed)
      verdict.reasons.push_back(
          fmt::format("CPU {}: {}", phase.activity[i].cpu, phase.facts.at(verdict_fact(phase.activity[i].cpu))));
  return verdict;
}

core::Result<core::Exit> run_audit(const core::CommandLine& line) {
  if (const core::Status none = no_operand(line); !none) return none.error();
  const core::Result<ShieldStatus> now = shield_status(line.get<std::string>("journal"), Surface(core::MachineView{}));
  const core::Result<core::CpuList> cpus = cpus_to_audit(line, now);
  if (!cpus) return cpus.error();
  const core::Result<uint64_t> duration_ns = core::parse_duration_ns(line.get<std::string>("duration"));
  if (!duration_ns) return core::Error{"--duration: " + duration_ns.error().text, duration_ns.error().hint};
  if (*duration_ns == 0) return core::Error{"--duration: must be longer than 0", "-D 10s"};
  AuditPlan plan{.cpus = *cpus,
                 .duration_s = static_cast<double>(*duration_ns) * 1e-9,
                 .limit_per_s = line.get<double>("limit"),
                 .events = !line.has("no-events")};
  if (!(plan.limit_per_s >= 0)) return core::Error{"--limit: must not be negative", "--limit 1"};
  plan.own = own_tasks(line, now);
  core::catch_stop_signals();
  core::Result<core::Phase> phase = audit(plan, {});
  if (!phase) return phase.error();
  core::Arguments command{"maxlat", "shield", "audit"};
  for (std::string& word : line.written_without({})) command.push_back(std::move(word));
  phase->command = core::quote_command(command);
  const std::vector<CpuVerdict> verdicts = verdicts_of(*phase, plan);
  const core::Exit exit = exit_of(*phase, verdicts);
  bool json_on_stdout = false;
  if (line.has("json")) {
    const std::string& path = line.get<std::string>("json");
    core::RunResult run = core::run_frame("audit", phase->started);
    core::MachineView machine;
    machine.measured_cpus = plan.cpus;
    core::say_machine(run, machine);
    run.phases = {*phase};
    run.verdict = verdict_of(exit, *phase, verdicts);
    if (const core::Status written = core::write_run(path, run); !written) return written.error();
    json_on_stdout = path == "-";
  }
  if (!line.has("quiet")) fmt::print(json_on_stdout ? stderr : stdout, "{}", text_of(*phase, plan));
  return exit;
}

}  // namespace

extern const Subcommand kAuditSubcommand{.name = "audit",
                                         .summary = "what interrupts the shielded CPUs, and who",
                                         .help = kAuditHelp,
                                         .add_options = add_audit_options,
                                         .run = run_audit};

}  // namespace maxlat::shield
