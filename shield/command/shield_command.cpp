// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/shield/held_shield.hpp>
#include <maxlat/shield/shield_command.hpp>
#include <span>
#include <vector>

#include "exec.hpp"
#include "shield_text.hpp"
#include "steps/shield.hpp"
#include "subcommand.hpp"

namespace maxlat::shield {
namespace {

namespace po = boost::program_options;

constexpr core::CommandHelp kOnHelp{
    .synopsis = "maxlat shield on [options]",
    .about =
        "Shields CPUs: everything that can be moved leaves them, and the settings of the machine become what real\n"
        "time needs. Every old value is in a journal first. maxlat shield off undoes it all.",
    .examples =
        "  maxlat shield on --cpus 2-3                    CPUs 2 and 3 for real time, the others for the rest\n"
        "  maxlat shield on --cpus 1 --housekeeping 0     everything else on CPU 0 alone\n"};
constexpr core::CommandHelp kOffHelp{
    .synopsis = "maxlat shield off [options]",
    .about = "Undoes the shield from its journal, also one that was cut off by a crash. Safe to run again.",
    .examples =
        "  maxlat shield off            what somebody else has changed since is named, and left\n"
        "  maxlat shield off --force    that, too, becomes what it was\n"};
constexpr core::CommandHelp kStatusHelp{
    .synopsis = "maxlat shield status [options]",
    .about = "Says whether a shield is on, and what of it has been changed since. Exit status 2 when something has.",
    .examples = "  maxlat shield status\n  maxlat shield status || maxlat shield off\n"};
constexpr core::CommandHelp kExecHelp{
    .synopsis = "maxlat shield exec [options] -- CMD ...",
    .about =
        "Shields, runs the command in the shield, and undoes it all, whatever the end. The exit status is the\n"
        "command's. In a shield that is on already the command is run, and the shield stays.",
    .examples =
        "  maxlat shield exec --cpus 1 -- maxlat npt -a 1 -D 10s\n"
        "  maxlat shield exec --cpus 2-3 -- chrt -f 80 ./control-loop\n"};
void add_common(po::options_description& options) {
  auto add = options.add_options();
  add("journal", core::argument("FILE")->default_value(ShieldPlan{}.journal),
      "where old values are kept; on a disk that outlives a reboot");
  add("quiet,q", "only what went wrong");
  add("help,h", "this text");
}

core::Result<core::Exit> on(const core::CommandLine& line) {
  if (!line.operands.empty()) return core::Error{fmt::format("unexpected '{}'", line.operands.front()), "--cpus 2-3"};
  const core::Result<ShieldPlan> plan = plan_from(line);
  if (!plan) return plan.error();
  if (const core::Status root = require_root(); !root) return root.error();
  core::catch_stop_signals();
  Surface surface(view_of(*plan));
  const core::Result<ShieldReport> report = shield_on(*plan, surface);
  if (!report) return report.error();
  if (!line.has("quiet")) fmt::print("{}", text_of(*report, *plan));
  return core::Exit::pass;
}

core::Result<core::Exit> off(const core::CommandLine& line) {
  if (!line.operands.empty()) return core::Error{fmt::format("unexpected '{}'", line.operands.front()), ""};
  Surface surface(view_of({}));
  const core::Result<UndoReport> report = shield_off(line.get<std::string>("journal"), surface, line.has("force"));
  if (!report) return report.error();
  const bool whole = report->failed.empty() && report->left.empty();
  if (!line.has("quiet") || !whole) fmt::print("{}", text_of(*report));
  if (!report->failed.empty())
    return core::Error{"not everything could be undone", "the journal stays: maxlat shield off tries again"};
  return core::Exit::pass;
}

core::Result<core::Exit> status(const core::CommandLine& line) {
  if (!line.operands.empty()) return core::Error{fmt::format("unexpected '{}'", line.operands.front()), ""};
  const Surface surface(view_of({}));
  const core::Result<ShieldStatus> now = shield_status(line.get<std::string>("journal"), surface);
  if (!now) return now.error();
  if (!line.has("quiet")) fmt::print("{}", text_of(*now));
  return now->drifted.empty() ? core::Exit::pass : core::Exit::limit_exceeded;
}

core::Result<core::Exit> exec_in_own(const ShieldPlan& plan, const std::vector<std::string>& command, bool quiet) {
  core::Result<HeldShield> held = HeldShield::put_on(plan);
  if (!held) return held.error();
  // Standard output is the command's.
  if (!quiet) core::tell_text(text_of(held->report(), held->plan()));
  const core::Result<int> ended = run_inside(command, plan.cpus, Surface(view_of(held->plan())));
  const core::Result<UndoReport> undone = held->take_off();
  if (!undone) return undone.error();
  if (!quiet || !undone->failed.empty()) core::tell_text(text_of(*undone));
  if (!ended) return ended.error();
  if (!undone->failed.empty()) return core::Error{"not everything could be undone", "maxlat shield off tries again"};
  return static_cast<core::Exit>(*ended);
}

core::Result<core::Exit> exec(const core::CommandLine& line) {
  if (line.operands.empty()) return core::Error{"no command given", "maxlat shield exec --cpus 1 -- CMD"};
  core::catch_stop_signals();
  const Surface looking(view_of({}));
  const core::Result<ShieldStatus> now = shield_status(line.get<std::string>("journal"), looking);
  if (!now) return now.error();
  const bool asked_for_this = !line.has("cpus") || line.get<core::CpuListArgument>("cpus").cpus == now->cpus;
  if (now->on && asked_for_this && !now->held) {
    const core::Result<int> ended = run_inside(line.operands, now->cpus, looking);
    if (!ended) return ended.error();
    return static_cast<core::Exit>(*ended);
  }
  const core::Result<ShieldPlan> plan = plan_from(line);
  if (!plan) return plan.error();
  return exec_in_own(*plan, line.operands, line.has("quiet"));
}

std::span<const Subcommand> subcommands() {
  static const std::vector<Subcommand> table = {
      {"on", "shield CPUs", kOnHelp, add_cpus, on},
      {"off", "undo the shield", kOffHelp,
       [](po::options_description& options) {
         options.add_options()("force", "also what somebody else has changed since");
       },
       off},
      {"status", "what of the shield stands", kStatusHelp, [](po::options_description&) {}, status},
      audit_subcommand(),
      boot_subcommand(),
      {"exec", "shield, run a command inside, undo", kExecHelp, add_cpus, exec},
  };
  return table;
}

core::CommandHelp help() {
  static const std::string about = [] {
    std::string text = "Sets CPUs of this box up for real time, and undoes it.\n\nsubcommands:\n";
    for (const Subcommand& sub : subcommands()) text += "  " + core::list_line(sub.name, sub.summary);
    return text + "\n`maxlat shield SUBCOMMAND --help` tells more.";
  }();
  return {"maxlat shield SUBCOMMAND [options]", about,
          "  maxlat shield on --cpus 2-3                              until maxlat shield off\n"
          "  maxlat shield exec --cpus 1 -- maxlat npt -a 1 -D 10s    for one command\n"};
}

core::Result<core::Exit> run_shield(const core::Arguments& arguments) {
  constexpr const char* kHint = "maxlat shield --help lists the subcommands";
  if (arguments.empty()) return core::Error{"no subcommand given", kHint};
  const std::string& name = arguments.front();
  if (name.starts_with('-')) {
    po::options_description options("Options");
    options.add_options()("help,h", "this text");
    const auto line = core::parse_or_help(help(), options, arguments);
    if (!line) return line.error();
    if (*line) return core::Error{"no subcommand given", kHint};
    return core::Exit::pass;
  }
  const auto table = subcommands();
  const auto found = std::find_if(table.begin(), table.end(), [&](const Subcommand& sub) { return sub.name == name; });
  if (found == table.end()) return core::Error{fmt::format("unknown subcommand \"{}\"", name), kHint};
  po::options_description options("Options");
  found->add_options(options);
  add_common(options);
  const auto line = core::parse_or_help(found->help, options, core::Arguments(arguments.begin() + 1, arguments.end()));
  if (!line) return line.error();
  return *line ? found->run(**line) : core::Result<core::Exit>(core::Exit::pass);
}

}  // namespace

void add_cpus(po::options_description& options) {
  auto add = options.add_options();
  add("cpus", core::argument<core::CpuListArgument>("CPUS"), "CPUs to shield");
  add("housekeeping", core::argument<core::CpuListArgument>("CPUS"), "CPUs for everything else (default: all others)");
}

core::Result<ShieldPlan> plan_from(const core::CommandLine& line) {
  if (!line.has("cpus")) return core::Error{"which CPUs?", "--cpus 2-3"};
  ShieldPlan plan;
  plan.cpus = line.get<core::CpuListArgument>("cpus").cpus;
  if (line.has("housekeeping")) plan.housekeeping = line.get<core::CpuListArgument>("housekeeping").cpus;
  plan.journal = line.get<std::string>("journal");
  const core::Result<core::CpuList> online = core::online_cpus();
  if (!online) return online.error();
  return complete_plan(std::move(plan), *online);
}

const core::Command& shield_command() {
  static const core::Command kCommand{"shield", "set CPUs up for real time, and undo it", run_shield};
  return kCommand;
}

}  // namespace maxlat::shield
