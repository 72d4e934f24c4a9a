// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/shield/held_shield.hpp>
#include <string>
#include <vector>

#include "exec.hpp"
#include "shield_text.hpp"
#include "steps/shield.hpp"
#include "subcommand.hpp"

namespace maxlat::shield {
namespace {

constexpr core::CommandHelp kExecHelp{
    .synopsis = "maxlat shield exec [options] -- CMD ...",
    .about =
        "Shields, runs the command in the shield, and undoes it all, whatever the end. The exit status is the\n"
        "command's. In a shield that is on already the command is run, and the shield stays.",
    .examples =
        "  maxlat shield exec --cpus 1 -- maxlat npt -a 1 -D 10s\n"
        "  maxlat shield exec --cpus 2-3 -- chrt -f 80 ./control-loop\n"};

core::Result<core::Exit> exec_in_own(const ShieldPlan& plan, const std::vector<std::string>& command, bool quiet) {
  core::Result<HeldShield> held = HeldShield::put_on(plan);
  if (!held) return held.error();
  // Standard output is the command's.
  if (!quiet) core::tell_text(text_of(held->report(), held->plan()));
  const core::Result<int> ended = run_inside(command, plan.cpus, Surface(view_of(held->plan())));
  const core::Result<UndoReport> undone = held->take_off();
  if (!undone) return undone.error();
  // No CPUs: it was taken off by force meanwhile, and what is on now is another one.
  const bool undid = !undone->cpus.empty();
  if (undid && (!quiet || !undone->failed.empty())) core::tell_text(text_of(*undone));
  if (!undid) core::tell("maxlat shield: the shield was taken off while the command ran\n");
  if (!undone->journal_stays.empty()) core::tell("maxlat shield: {}; {}\n", stays_text(*undone), kWhenTheJournalStays);
  if (!ended) return ended.error();
  if (!undone->failed.empty()) return core::Error{"not everything could be undone", "maxlat shield off tries again"};
  return static_cast<core::Exit>(*ended);
}

// Whether the shield that a person has made is one to run in. Without the lock: several commands at a time may run in
// one. ERRORS: it did not come to its end; its journal is damaged.
core::Status may_run_in(const ShieldStatus& now) {
  if (!now.damage.empty()) return core::Error{now.damage, "maxlat shield off --force undoes what is not damaged"};
  if (!now.is_complete)
    return core::Error{"there is a shield that did not come to its end", "maxlat shield off undoes what it had done"};
  return {};
}

core::Result<core::Exit> exec(const core::CommandLine& line) {
  if (line.operands.empty()) return core::Error{"no command given", "maxlat shield exec --cpus 1 -- CMD"};
  // Before the machine is changed for it.
  if (const auto program = program_of(line.operands.front()); !program) return program.error();
  core::catch_stop_signals();
  const Surface looking(view_of({}));
  const core::Result<ShieldStatus> now = shield_status(line.get<std::string>("journal"), looking);
  if (!now) return now.error();
  const bool asked_for_this = !line.has("cpus") || line.get<core::CpuListArgument>("cpus").cpus == now->cpus;
  if (now->on && asked_for_this && !now->held) {
    if (line.has("smt") || line.has("mount") || line.has("timers"))
      return core::Error{fmt::format("a shield of CPU {} is on: --smt, --timers and --mount are for a new one",
                                     core::to_string(now->cpus)),
                         "maxlat shield off first, or leave them out"};
    if (const core::Status may = may_run_in(*now); !may) return may.error();
    if (!line.has("quiet")) core::tell_text(drift_text(*now));
    const core::Result<int> ended = run_inside(line.operands, now->cpus, looking);
    if (!ended) return ended.error();
    return static_cast<core::Exit>(*ended);
  }
  const core::Result<ShieldPlan> plan = plan_from(line);
  if (!plan) return plan.error();
  return exec_in_own(*plan, line.operands, line.has("quiet"));
}

}  // namespace

extern const Subcommand kExecSubcommand{.name = "exec",
                                        .summary = "shield, run a command inside, undo",
                                        .help = kExecHelp,
                                        .add_options = add_cpus_and_requests,
                                        .run = exec};

}  // namespace maxlat::shield
