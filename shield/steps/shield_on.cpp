// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/utc.hpp>

#include "inherited.hpp"
#include "journal/lock.hpp"
#include "shield.hpp"
#include "step.hpp"

namespace maxlat::shield {
bool is_complete(const JournalContent& journal) {
  return !journal.torn && !journal.changes.empty() && journal.changes.back().kind == Change::Kind::complete;
}

namespace {

// It has changes, and none of them is as we made it: it was undone, and could not be removed.
bool is_undone(const JournalContent& journal, const Surface& surface) {
  bool has_any = false;
  for (const Change& change : journal.changes) {
    if (is_group_of_others(change, journal)) continue;
    const Standing now = standing(change, surface);
    if (now == Standing::ours || now == Standing::unknown) return false;
    has_any = has_any || counts(change, now, journal);
  }
  return has_any;
}

}  // namespace

// What damaged lines have changed is not known: that they changed nothing, neither.
bool is_stale(const JournalContent& journal, const Surface& surface) {
  if (!surface.boot_id().empty() && journal.header.boot_id != surface.boot_id()) return true;
  return journal.damaged.empty() && (journal.changes.empty() || is_undone(journal, surface));
}

core::Status no_other_journal_is_on(const std::string& journal, const Surface& surface) {
  const std::string other = last_journal(surface.view().root);
  if (other.empty() || other == std::filesystem::absolute(journal)) return {};
  const auto content = read_journal(other);
  if (!content) return content.error();
  if (!*content || is_stale(**content, surface)) return {};
  return core::Error{
      fmt::format("a shield of CPU {} is on, whose journal is {}", core::to_string((*content)->header.cpus), other),
      fmt::format("maxlat shield off --journal {} takes that one off", other)};
}

core::Status no_other_is_on(const ShieldPlan& plan, const Surface& surface) {
  if (const core::Status none = no_other_journal_is_on(plan.journal, surface); !none) return none;
  return no_group_is_there(surface);
}

namespace {

using Outcome = StepReport::Outcome;

// A shield that is on is made right again, and gets nothing new: its journal ends with the line that says that it is
// complete.
core::Status has_what_is_asked_for(const JournalContent& journal, const ShieldPlan& plan, const Surface& surface) {
  const auto without = [&](const std::string& option) {
    return core::Error{
        fmt::format("a shield of CPU {} is on, without {}", core::to_string(journal.header.cpus), option),
        fmt::format("maxlat shield off first, or leave {} out", option)};
  };
  const auto is_there = [&](const Change& mount) {
    const auto& made = journal.changes;
    return standing(mount, surface) == Standing::ours || std::find(made.begin(), made.end(), mount) != made.end();
  };
  const std::vector<Change> wanted = plan.mounts ? mounts() : std::vector<Change>{};
  if (!std::all_of(wanted.begin(), wanted.end(), is_there)) return without("--mount");
  const auto went = [&](const Change& change) {
    return change.kind == Change::Kind::kept && change.path == online_file(plan.cpus.front());
  };
  if (plan.timers && std::none_of(journal.changes.begin(), journal.changes.end(), went)) return without("--timers");
  // Siblings that are offline are nobody's siblings: asked for once more, they are not found.
  if (!core::difference(plan.siblings, journal.header.siblings).empty()) return without("--smt");
  return {};
}

// Whether it was made, and is not as it was made.
bool has_drifted(const Change& change, Standing now, const JournalContent& journal, const Surface& surface) {
  const bool was_made = change.before != change.wanted || counts(change, now, journal);
  return !stands(change, now, surface) && now != Standing::gone && (now != Standing::as_before || was_made) &&
         !was_moved_since(change, journal);
}

}  // namespace

core::Result<ShieldReport> go_on(const ShieldPlan& plan, Surface& surface,
                                 const std::function<core::Status(Workshop&)>& add) {
  core::Result<Journal> journal = Journal::reopen(plan.journal);
  if (!journal) return journal.error();
  Workshop workshop(surface, *journal, plan);
  if (const core::Status added = add(workshop); !added) return added.error();
  const Change complete{.kind = Change::Kind::complete};
  if (const core::Status recorded = workshop.record({&complete, 1}); !recorded) return recorded.error();
  return std::move(workshop).reports();
}

namespace {

// A keeper that has ended holds nothing any more: another one takes its place, in the journal too. ERRORS: that cannot
// be written.
core::Status renew_keeper(Change ended, const ShieldPlan& plan, Surface& surface, ShieldReport& report) {
  ended.kind = Change::Kind::refused;
  const core::Result<ShieldReport> renewed = go_on(plan, surface, [&](Workshop& workshop) {
    const core::Status made = kIdleLatencyStep.make(workshop);
    // Where there is no other one, the old one is still missed, by status and by the next of us.
    return made && !workshop.has_failed() ? workshop.record({&ended, 1}) : made;
  });
  if (!renewed) return renewed.error();
  report.lost += renewed->count(Outcome::not_possible);
  report.steps.insert(report.steps.end(), renewed->steps.begin(), renewed->steps.end());
  return {};
}

core::Status pause_what_was_started(const JournalContent& content, const ShieldPlan& plan, Surface& surface,
                                    ShieldReport& report) {
  const std::vector<Change> fresh = irqbalance_since(content, surface);
  if (fresh.empty()) return {};
  const core::Result<ShieldReport> paused = go_on(plan, surface, [&](Workshop& workshop) {
    const core::Status recorded = workshop.record(fresh);
    if (!recorded) return recorded;
    const std::vector<std::string> refused = workshop.make(fresh);
    workshop.report({refused.empty() ? Outcome::done : Outcome::not_possible, to_string(fresh.front()),
                     refused.empty() ? "paused, until off" : refused.front()});
    return core::Status{};
  });
  if (!paused) return paused.error();
  report.changes += paused->changes;
  report.lost += paused->count(Outcome::not_possible);
  report.steps.insert(report.steps.end(), paused->steps.begin(), paused->steps.end());
  return {};
}

core::Status keep_newcomers_off(const JournalContent& content, const ShieldPlan& plan, Surface& surface,
                                ShieldReport& report) {
  const std::vector<Change> fresh = newcomers(content, plan, surface);
  if (fresh.empty()) return {};
  std::vector<std::string> refused;
  const core::Result<ShieldReport> moved = go_on(plan, surface, [&](Workshop& workshop) {
    const core::Status recorded = workshop.record(fresh);
    if (recorded) refused = workshop.make(fresh);
    return recorded;
  });
  if (!moved) return moved.error();
  std::string text = core::counted(fresh.size() - refused.size(), "thread") + " may not use the shielded CPUs any more";
  if (!refused.empty()) text += fmt::format("; {} cannot be moved: {}", refused.size(), refused.front());
  report.steps.push_back({refused.empty() ? Outcome::done : Outcome::not_possible, "affinity", std::move(text)});
  report.changes += moved->changes;
  report.lost += refused.size();
  return {};
}

// What was right by itself when the shield came is in no line of the journal, and may be wrong by now.
core::Status set_what_turned_wrong(const JournalContent& content, const ShieldPlan& plan, Surface& surface,
                                   ShieldReport& report) {
  const core::MachineView machine = machine_of(content, surface);
  const std::vector<core::Remedy> remedies = turned_wrong(content, machine);
  if (remedies.empty()) return {};
  const core::Result<ShieldReport> set =
      go_on(plan, surface, [&](Workshop& workshop) { return make_right(remedies, machine, workshop); });
  if (!set) return set.error();
  report.changes += set->changes;
  report.lost += set->count(Outcome::not_possible);
  report.steps.insert(report.steps.end(), set->steps.begin(), set->steps.end());
  return {};
}

// The same shield once more: what is no longer as we made it is made so again. What was before stays in the journal.
core::Result<ShieldReport> made_again(const JournalContent& journal, const ShieldPlan& plan, Surface& surface) {
  ShieldReport report;
  size_t standing_still = 0;
  for (const Change& change : journal.changes) {
    // What is kept is only given back.
    if (change.kind == Change::Kind::complete || change.kind == Change::Kind::kept) continue;
    const Standing now = standing(change, surface);
    const bool drifted = has_drifted(change, now, journal, surface);
    if (!drifted || change.kind == Change::Kind::keeper) {
      if (counts(change, now, journal))
        ++report.changes, standing_still += stands(change, now, surface) || was_moved_since(change, journal);
      if (!drifted) continue;
      if (const core::Status kept = renew_keeper(change, plan, surface, report); !kept) return kept.error();
      continue;
    }
    const core::Status made = apply(change, surface);
    const bool counted = counts(change, standing(change, surface), journal);
    report.changes += counted, report.lost += counted && !made;
    const std::string again = change.wanted.empty() ? "made again" : "made so again: " + change.wanted;
    report.steps.push_back(
        {made ? Outcome::done : Outcome::not_possible, to_string(change), made ? again : made.error().text});
  }
  if (const core::Status set = set_what_turned_wrong(journal, plan, surface, report); !set) return set.error();
  if (const core::Status paused = pause_what_was_started(journal, plan, surface, report); !paused)
    return paused.error();
  if (const core::Status moved = keep_newcomers_off(journal, plan, surface, report); !moved) return moved.error();
  report.steps.push_back({Outcome::already, "shield",
                          fmt::format("{} of {} changes stand as they were made", standing_still, report.changes)});
  return report;
}

// Everything back, and what to say: the reason, and what could not be undone.
core::Error taken_back(const ShieldPlan& plan, Surface& surface, core::Error why) {
  const core::Result<UndoReport> undone = shield_off_locked(plan.journal, surface, false);
  if (!undone)
    why.text += "; and " + undone.error().text;
  else if (!undone->failed.empty())
    why.text += fmt::format("; {} changes could not be undone: {}", undone->failed.size(), undone->failed.front());
  else
    why.text += "; everything is as it was before";
  if (undone && !undone->journal_stays.empty()) why.text += ", but the journal stays: " + undone->journal_stays;
  return why;
}

core::Status take_steps(Workshop& workshop) {
  for (const Step* step : step_rows()) {
    if (const core::Status made = step->make(workshop); !made) return made;
    if (core::stop_requested().load(std::memory_order_relaxed)) return core::Error{"stopped"};  // relaxed: only a flag
  }
  const Change complete{.kind = Change::Kind::complete};
  return workshop.record({&complete, 1});
}

}  // namespace

std::string to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return "done";
    case Outcome::already:
      return "already so";
    case Outcome::not_possible:
      return "not possible";
    case Outcome::needs_reboot:
      return "needs a reboot";
    case Outcome::by_hand:
      return "by hand";
  }
  return {};
}

size_t ShieldReport::count(Outcome outcome) const {
  return static_cast<size_t>(
      std::count_if(steps.begin(), steps.end(), [&](const StepReport& step) { return step.outcome == outcome; }));
}

core::Status require_root() {
  if (::geteuid() == 0) return {};
  return core::cannot_run("a shield is set up by root alone", "run as root");
}

core::MachineView view_of(const ShieldPlan& plan) {
  core::MachineView view;
  view.measured_cpus = plan.cpus;
  view.other_cpus = plan.housekeeping;
  return view;
}

core::Result<ShieldPlan> complete_plan(ShieldPlan plan, const core::CpuList& online) {
  const auto offline = [&](const core::CpuList& cpus) { return core::difference(cpus, online); };
  for (const core::CpuList& cpus : {plan.cpus, plan.housekeeping, plan.siblings})
    if (!offline(cpus).empty())
      return core::Error{fmt::format("CPU {} does not exist here, or is offline", core::to_string(offline(cpus))),
                         "online are " + core::to_string(online)};
  if (const auto both = core::intersection(plan.cpus, plan.housekeeping); !both.empty())
    return core::Error{fmt::format("CPU {} cannot be shielded and keep house", core::to_string(both)),
                       "--cpus and --housekeeping have no CPU in common"};
  if (const auto both = core::intersection(plan.siblings, plan.housekeeping); !both.empty())
    return core::Error{fmt::format("CPU {} cannot go offline and keep house", core::to_string(both)),
                       "it shares a core with a shielded CPU: leave it out of --housekeeping, or leave out --smt"};
  if (plan.cpus.empty()) return core::Error{"no CPU to shield", "--cpus 2-3"};
  plan.any_housekeeping = plan.housekeeping.empty();
  if (plan.any_housekeeping) plan.housekeeping = core::difference(core::difference(online, plan.cpus), plan.siblings);
  if (plan.housekeeping.empty())
    return core::Error{"no CPU is left for the rest of the system", "shield all CPUs but one at most"};
  return plan;
}

core::Status may_use(const JournalContent& journal, const ShieldPlan& plan, const Surface& surface) {
  if (!journal.damaged.empty())
    return core::Error{damage_text(journal, plan.journal), "maxlat shield off --force undoes what is not damaged"};
  if (!is_complete(journal))
    return core::Error{"there is a shield that did not come to its end", "maxlat shield off undoes what it had done"};
  const JournalHeader& there = journal.header;
  if (there.held && !plan.held)
    return core::Error{
        fmt::format("a shield of CPU {} is on, for as long as its holder lives", core::to_string(there.cpus)),
        "wait until that run or command has ended; after a kill: maxlat shield off"};
  if (there.cpus != plan.cpus)
    return core::Error{fmt::format("a shield of CPU {} is on", core::to_string(there.cpus)), "maxlat shield off first"};
  if (const core::Status has = has_what_is_asked_for(journal, plan, surface); !has) return has;
  if (plan.any_housekeeping || there.housekeeping == plan.housekeeping) return {};
  return core::Error{fmt::format("a shield of CPU {} is on, with the system on CPU {}", core::to_string(there.cpus),
                                 core::to_string(there.housekeeping)),
                     "maxlat shield off first"};
}

core::Result<ShieldReport> shield_on(const ShieldPlan& plan, Surface& surface) {
  const core::Result<Lock> lock = Lock::take(surface.view().root);
  if (!lock) return lock.error();
  const auto before = read_journal(plan.journal);
  if (!before) return before.error();
  if (*before && !is_stale(**before, surface)) {
    const JournalContent& journal = **before;
    if (const core::Status may = may_use(journal, plan, surface); !may) return may.error();
    ShieldPlan of_journal = plan;
    of_journal.housekeeping = journal.header.housekeeping;
    core::Result<ShieldReport> report = made_again(journal, of_journal, surface);
    if (!report) return report;
    report->housekeeping = of_journal.housekeeping;
    report->was_on = !journal.header.held;  // a holder that was killed: it is the next one's
    return report;
  }
  if (const core::Status none = no_other_is_on(plan, surface); !none) return none.error();
  // What an earlier one has left as somebody had made it is what this one finds.
  for (const std::string& stale : {plan.journal, left_of(plan.journal)})
    if (const core::Status removed = remove_journal(stale); !removed) return removed.error();
  if (const core::Status noted = note_journal(surface.view().root, plan.journal); !noted) return noted.error();

  core::Result<Journal> journal = Journal::create(plan.journal, {.boot_id = surface.boot_id(),
                                                                 .cpus = plan.cpus,
                                                                 .housekeeping = plan.housekeeping,
                                                                 .siblings = plan.siblings,
                                                                 .since = core::utc_text(),
                                                                 .held = plan.held,
                                                                 .interrupts = interrupts_there(surface)});
  if (!journal) return core::Error{journal.error().text + "; nothing was changed", journal.error().hint};
  Workshop workshop(surface, *journal, plan);
  if (const core::Status made = take_steps(workshop); !made) return taken_back(plan, surface, made.error());
  ShieldReport report = std::move(workshop).reports();
  report.housekeeping = plan.housekeeping;
  // What was right by itself is no shield.
  if (report.count(Outcome::done) == 0 && report.count(Outcome::not_possible) > 0) {
    const auto refused = std::find_if(report.steps.begin(), report.steps.end(),
                                      [](const auto& step) { return step.outcome == Outcome::not_possible; });
    return taken_back(plan, surface,
                      core::cannot_run("nothing can be shielded here: " + refused->text,
                                       "a container has not the rights: run it as root of the machine itself"));
  }
  return report;
}

}  // namespace maxlat::shield
