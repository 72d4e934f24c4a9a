// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/core/sys/stop.hpp>

#include "shield_text.hpp"
#include "steps/shield.hpp"
#include "subcommand.hpp"

namespace maxlat::shield {
namespace {

constexpr core::CommandHelp kOnHelp{
    .synopsis = "maxlat shield on [options]",
    .about =
        "Shields CPUs: everything that can be moved leaves them, and the settings of the machine become what real\n"
        "time needs. Every old value is in a journal first. maxlat shield off undoes it all. Where this shield is on\n"
        "already, what has changed since is set again; exit status 2 when that is not possible.",
    .examples =
        "  maxlat shield on --cpus 2-3                    CPUs 2 and 3 for real time, the others for the rest\n"
        "  maxlat shield on --cpus 1 --housekeeping 0     everything else on CPU 0 alone\n"};

core::Result<core::Exit> on(const core::CommandLine& line) {
  if (const core::Status none = no_operand(line, "--cpus 2-3"); !none) return none.error();
  const core::Result<ShieldPlan> plan = plan_from(line);
  if (!plan) return plan.error();
  if (const core::Status root = require_root(); !root) return root.error();
  core::catch_stop_signals();
  Surface surface(view_of(*plan));
  const core::Result<ShieldReport> report = shield_on(*plan, surface);
  if (!report) return report.error();
  if (!line.has("quiet")) fmt::print("{}", text_of(*report, *plan));
  return report->lost == 0 ? core::Exit::pass : core::Exit::limit_exceeded;
}

}  // namespace

extern const Subcommand kOnSubcommand{
    .name = "on", .summary = "shield CPUs", .help = kOnHelp, .add_options = add_cpus_and_requests, .run = on};

}  // namespace maxlat::shield
