// SPDX-License-Identifier: MIT
#include "shield_text.hpp"

#include <fmt/format.h>

#include <maxlat/core/machine/setting_readers.hpp>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>

namespace maxlat::shield {
namespace {

constexpr size_t kMostLines = 10, kMostNamed = 4;

std::string listed(const char* what, const std::vector<std::string>& lines) {
  std::string text;
  for (size_t i = 0; i < lines.size() && i < kMostLines; ++i) text += fmt::format("{}: {}\n", what, lines[i]);
  if (lines.size() > kMostLines) text += fmt::format("{}: {} more\n", what, lines.size() - kMostLines);
  return text;
}

}  // namespace

std::string text_of(const ShieldReport& report, const ShieldPlan& plan) {
  core::TextTable table({"step", "outcome", ""});
  std::string rest;
  for (const StepReport& step : report.steps) {
    const bool is_long = step.text.size() > 70;
    table.row({step.step, to_string(step.outcome), is_long ? "see below" : step.text});
    if (is_long) rest += core::wrapped(step.text, core::kTextWidth, step.step + ": ", "  ");
  }
  using Outcome = StepReport::Outcome;
  const size_t left =
      report.count(Outcome::not_possible) + report.count(Outcome::needs_reboot) + report.count(Outcome::by_hand);
  const auto tell = [&](Outcome outcome, const std::string& what) {
    std::vector<std::string_view> names;
    for (const StepReport& step : report.steps)
      if (step.outcome == outcome) names.push_back(step.step);
    if (!names.empty()) rest += core::wrapped(fmt::format("{}", fmt::join(names, ", ")), core::kTextWidth, what, "  ");
  };
  tell(Outcome::not_possible, "a weaker shield; not possible here: ");
  tell(Outcome::by_hand, "left to you, each with its line above: ");
  if (report.count(Outcome::needs_reboot) > 0)
    rest += fmt::format("`maxlat shield boot --cpus {}` says where the parameters of the kernel go\n",
                        core::to_string(plan.cpus));
  return fmt::format("{}\n{}shield of CPU {} is on, the system on CPU {}: {} done or already so, {} not; {}\n",
                     table.text(core::kTextWidth, ""), rest, core::to_string(plan.cpus),
                     core::to_string(report.housekeeping), core::counted(report.steps.size() - left, "step"), left,
                     core::counted(report.changes, "change"));
}

std::string counts_text(const UndoReport& report) {
  std::string text = fmt::format("{} undone, {} had been before, {} gone with their threads",
                                 core::counted(report.undone, "change"), report.already, report.gone);
  if (!report.left.empty()) text += fmt::format(", {} left", report.left.size());
  if (!report.failed.empty()) text += fmt::format(", {} not undone", report.failed.size());
  if (report.inherited > 0)
    text += fmt::format("; {} that began meanwhile may use all CPUs again", core::counted(report.inherited, "thread"));
  if (report.interrupts > 0)
    text += fmt::format("; {} made meanwhile may use all CPUs again", core::counted(report.interrupts, "interrupt"));
  return text;
}

std::string text_of(const UndoReport& report) {
  if (report.cpus.empty()) return "no shield is on\n";
  std::string text = listed("left as it is", report.left) + listed("not undone", report.failed);
  if (!report.left.empty() && report.failed.empty())
    text += "maxlat shield off --force undoes that, too, as long as no other shield was put on\n";
  if (report.torn)
    text += "the journal ends within a line: the shield was cut off there, and that change was not made\n";
  if (report.rebooted)
    return text + fmt::format("the box was rebooted since {}: that has undone the shield of CPU {}\n", report.since,
                              core::to_string(report.cpus));
  return text + fmt::format("shield of CPU {} is off: {}\n", core::to_string(report.cpus), counts_text(report));
}

std::string stays_text(const UndoReport& report) {
  return "the shield is off, but its journal stays: " + report.journal_stays;
}

std::string drift_text(const ShieldStatus& status) {
  const std::string damage = status.damage.empty() ? "" : status.damage + ": what that changed is not known\n";
  return damage + listed("drifted", status.drifted) + listed("turned wrong", status.settings) +
         listed("may use its CPUs", status.newcomers);
}

std::string text_of(const ShieldStatus& status) {
  if (status.rebooted) return fmt::format("no shield is on: the box was rebooted since {}\n", status.since);
  if (!status.on) return "no shield is on\n";
  std::string text = drift_text(status);
  if (!status.is_complete && !status.holder)
    text += "it did not come to its end: maxlat shield off undoes what it had done\n";
  if (status.is_complete && status.held && !status.holder)
    text += "its holder has died: maxlat shield off undoes it, or the next run or shield exec does\n";
  text += fmt::format("shield of CPU {} since {}, the system on CPU {}: {} of {} changes stand",
                      core::to_string(status.cpus), status.since, core::to_string(status.housekeeping), status.standing,
                      status.changes);
  if (status.gone > 0) text += fmt::format(", {} gone with their threads", status.gone);
  if (!status.moved_in.empty())
    text += fmt::format("; {} moved in: {}", status.moved_in.size(), core::joined(status.moved_in, kMostNamed));
  if (status.holder) text += fmt::format("; held by process {}", *status.holder);
  return text + "\n";
}

}  // namespace maxlat::shield
