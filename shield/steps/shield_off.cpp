// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <maxlat/core/sys/stop.hpp>
#include <optional>
#include <span>
#include <utility>

#include "bound_since.hpp"
#include "inherited.hpp"
#include "journal/journal.hpp"
#include "journal/lock.hpp"
#include "move/followers.hpp"
#include "move/shield_move.hpp"
#include "shield.hpp"
#include "step.hpp"

namespace maxlat::shield {
namespace {

using core::CpuList;

bool rebooted_since(const JournalContent& journal, const Surface& surface) {
  return !surface.boot_id().empty() && journal.header.boot_id != surface.boot_id();
}

enum class Fate { undone, already, gone, left, failed };

// What becomes of a change as it is now; nothing: it is to be undone. `why` is of what is left or fails.
std::optional<Fate> fate_of(const Change& change, Standing now, bool force, std::string& why) {
  if (now == Standing::gone) return Fate::gone;
  if (now == Standing::as_before) return Fate::already;
  if (change.kind == Change::Kind::inside) return Fate::undone;  // with its group, whose change stands above
  if ((now == Standing::other || now == Standing::shared) && !force) {
    why = now == Standing::shared
              ? fmt::format("{}: {} stays switched on, for others use it now", to_string(change), change.wanted)
              : fmt::format("{}: was {}, was made {}, and somebody has changed it since", to_string(change),
                            change.before, change.wanted);
    return Fate::left;
  }
  // What it has now may be somebody else's.
  if (now == Standing::unknown && !force) {
    why = fmt::format("{}: what became of it cannot be read", to_string(change));
    return Fate::failed;
  }
  return std::nullopt;
}

// A change at off.
struct Taken {
  Standing now = Standing::unknown;  // before anything was done
  Fate fate = Fate::undone;
  std::string why{};  // of what is left or fails
};

// Back, each unless it is somebody else's now.
std::vector<Taken> take_back(std::span<const Change> changes, Surface& surface, bool force) {
  std::vector<Taken> taken(changes.size());
  std::vector<Change> to_undo;
  std::vector<Taken*> of_these;
  const std::vector<Standing> now = standings(changes, surface);
  for (size_t i = 0; i < changes.size(); ++i) {
    taken[i].now = now[i];
    if (const auto fate = fate_of(changes[i], now[i], force, taken[i].why))
      taken[i].fate = *fate;
    else
      to_undo.push_back(changes[i]), of_these.push_back(&taken[i]);
  }
  const std::vector<core::Status> undone = undo(to_undo, surface);
  const std::vector<Standing> then = standings(to_undo, surface);
  for (size_t i = 0; i < to_undo.size(); ++i) {
    if (then[i] == Standing::as_before || then[i] == Standing::gone) continue;
    of_these[i]->fate = Fate::failed;
    of_these[i]->why = undone[i] ? fmt::format("{} is not {} again", to_string(to_undo[i]), to_undo[i].before)
                                 : undone[i].error().text;
  }
  return taken;
}

// The last ones, as far as they are undone together: units of systemd's that stand next to each
// other, or any other change by itself.
std::span<const Change> last_ones(std::span<const Change> changes) {
  const auto is_unit = [](const Change& change) { return change.kind == Change::Kind::slices; };
  size_t begin = changes.size() - 1;
  while (is_unit(changes.back()) && begin > 0 && is_unit(changes[begin - 1])) --begin;
  return changes.subspan(begin);
}

// RETURNS: what was left to somebody else, in the order of the journal.
std::vector<Change> take_all_back(const JournalContent& journal, Surface& surface, bool force, UndoReport& report) {
  std::vector<Change> left;
  const auto is_left = [&](const Change& change) {
    return std::any_of(left.begin(), left.end(), [&](const Change& one) { return one.path == change.path; });
  };
  std::span<const Change> rest = journal.changes;
  while (!rest.empty()) {
    const std::span<const Change> changes = last_ones(rest);
    rest = rest.first(rest.size() - changes.size());
    const Change& last = changes.back();
    if (last.kind == Change::Kind::complete || is_group_of_others(last, journal)) continue;
    // What somebody has made of it since is not for what was kept to overwrite.
    if (last.kind == Change::Kind::kept && is_left(last)) continue;
    std::vector<Taken> taken = take_back(changes, surface, force);
    for (size_t i = changes.size(); i-- > 0;) {
      auto& [now, fate, why] = taken[i];
      if (fate == Fate::failed) report.failed.push_back(std::move(why));
      if (fate == Fate::left) report.left.push_back(std::move(why)), left.insert(left.begin(), changes[i]);
      if (!counts(changes[i], now, journal)) continue;
      if (fate == Fate::undone) ++report.undone;
      if (fate == Fate::already) ++report.already;
      if (fate == Fate::gone) ++report.gone;
    }
  }
  return left;
}

// Of a partition that it calls invalid: ": isolated invalid (Cpu list in cpuset.cpus not exclusive)".
std::string kernels_reason(const Change& change, const Surface& surface) {
  const bool is_partition = change.kind == Change::Kind::inside && change.path.ends_with("/cpuset.cpus.partition");
  return is_partition ? ": " + surface.view().read(change.path).value_or("") : "";
}

// So that `off --force` can still undo it.
core::Status keep_left(const std::string& journal_path, const JournalHeader& header, const std::vector<Change>& left) {
  const std::string path = left_of(journal_path);
  if (const core::Status removed = remove_journal(path); !removed) return removed;
  core::Result<Journal> journal = Journal::create(path, header);
  return journal ? journal->append(left) : journal.error();
}

// A journal that has served.
core::Status put_away(const std::string& path, const JournalHeader& header, const std::vector<Change>& left) {
  if (left.empty() || keep_left(path, header, left)) return remove_journal(path);
  // The disk is full, and another name takes no room. What is undone is found as it was before.
  return rename_journal(path, left_of(path));
}

}  // namespace

core::Result<UndoReport> shield_off_locked(const std::string& journal_path, Surface& surface, bool force,
                                           Inherited inherited) {
  const auto read = read_journal(journal_path);
  if (!read) return read.error();
  UndoReport report;
  if (!*read) return report;
  const JournalContent& journal = **read;
  report.cpus = journal.header.cpus;
  report.since = journal.header.since;
  report.torn = journal.torn;
  if (!journal.damaged.empty() && !force)
    return core::Error{damage_text(journal, journal_path),
                       "what these lines changed is not known; --force undoes the others"};
  const core::StopsHeldBack whole;  // a second ^C would leave the half of it
  report.rebooted = !(journal.changes.empty() && journal.damaged.empty()) && rebooted_since(journal, surface);
  std::vector<Change> left;
  if (!report.rebooted) {
    // Where nothing stands any more an earlier off() has widened, unless it was killed just before: what is narrow
    // since is its owner's choice.
    const bool widens = inherited == Inherited::widened && journal.damaged.empty() && !is_stale(journal, surface);
    const std::vector<Change> bound = bound_since(journal, surface, force);
    bring_followers_out(journal, surface);
    left = take_all_back(journal, surface, force, report);
    bind_again(bound, surface);
    if (widens) widen_inherited(journal, surface, report);
  }
  // Run again, it tries those that failed once more.
  if (!report.failed.empty()) return report;
  if (const core::Status away = put_away(journal_path, journal.header, left); !away)
    report.journal_stays = away.error().text;
  return report;
}

std::string left_of(const std::string& journal) {
  return journal + ".left";
}

namespace {

// REQUIRES: the Lock, and that this is not the process that holds it. ERRORS: another one does, and lives.
core::Status nobody_uses(const JournalContent& content, const Surface& surface) {
  const auto holder = Lock::holder(surface.view().root);
  if (!holder) return {};
  const char* hint = "wait until it has ended; --force takes the shield off all the same";
  if (content.header.held) return core::Error{Lock::held_by(*holder).text, hint};
  return core::Error{fmt::format("the shield is in use by process {}", *holder), hint};
}

}  // namespace

core::Result<UndoReport> shield_off(const std::string& journal, Surface& surface, bool force) {
  // Without a shield nothing is written, the lock neither.
  for (const std::string& path : force ? std::vector{journal, left_of(journal)} : std::vector{journal}) {
    const auto seen = read_journal(path);
    if (!seen) return seen.error();
    if (!*seen) continue;
    const core::Result<Lock> lock = Lock::take(surface.view().root);
    if (!lock) return lock.error();
    if (!force)
      if (const core::Status unused = nobody_uses(**seen, surface); !unused) return unused.error();
    // What an earlier shield changed or left is not for now, when another one is on: some of it may look like ours
    // again. Asked under the lock: none can come.
    if (const core::Status none = no_other_journal_is_on(journal, surface); !none) return none.error();
    // What was left is not all of a journal: who had a narrow mask before is not in it. The first off() has widened.
    return shield_off_locked(path, surface, force, path == journal ? Inherited::widened : Inherited::left);
  }
  if (const core::Status none = no_other_journal_is_on(journal, surface); !none) return none.error();
  return UndoReport{};
}

core::Result<UndoReport> shield_off_held(const std::string& journal, Surface& surface) {
  constexpr std::chrono::seconds kPatience(5);  // nobody calls it once more
  const core::Result<Lock> lock = Lock::take(surface.view().root, kPatience);
  if (!lock) return lock.error();
  const auto now = read_journal(journal);
  if (!now) return now.error();
  if (!*now || !(*now)->header.held) return UndoReport{};
  return shield_off_locked(journal, surface, false);
}

core::Result<ShieldStatus> shield_status(const std::string& journal_path, const Surface& surface) {
  const auto read = read_journal(journal_path);
  if (!read) return read.error();
  ShieldStatus status;
  const bool has_changes = *read && !((*read)->changes.empty() && (*read)->damaged.empty());
  if (const core::Status none = no_other_journal_is_on(journal_path, surface); !none) return none.error();
  if (!has_changes) return status;
  const JournalContent& journal = **read;
  status.rebooted = rebooted_since(journal, surface);
  if (is_stale(journal, surface) && !status.rebooted) return status;
  status.on = !status.rebooted;
  status.cpus = journal.header.cpus;
  status.housekeeping = journal.header.housekeeping;
  status.since = journal.header.since;
  status.held = journal.header.held;
  status.is_complete = is_complete(journal);
  status.damage = damage_text(journal, journal_path);
  if (!status.on) return status;
  const std::vector<Standing> all_now = standings(journal.changes, surface);
  for (size_t i = 0; i < all_now.size(); ++i) {
    const Change& change = journal.changes[i];
    const Standing now = all_now[i];
    if (!counts(change, now, journal)) continue;
    ++status.changes;
    if (stands(change, now, surface) || (now != Standing::gone && was_moved_since(change, journal)))
      ++status.standing;
    else if (now == Standing::unknown)
      status.drifted.push_back(fmt::format("{} cannot be read", to_string(change)));
    else if (now == Standing::gone)
      ++status.gone;
    else if (change.kind == Change::Kind::moved)
      status.drifted.push_back(fmt::format("{} is not in the shield any more", to_string(change)));
    else if (change.kind == Change::Kind::paused)
      status.drifted.push_back(fmt::format("{} goes on", to_string(change)));
    else if (change.wanted.empty())
      status.drifted.push_back(fmt::format("{} is not there any more", to_string(change)));
    else
      status.drifted.push_back(
          fmt::format("{} is no longer {}{}", to_string(change), change.wanted, kernels_reason(change, surface)));
  }
  const ShieldPlan plan{
      .cpus = journal.header.cpus, .housekeeping = journal.header.housekeeping, .siblings = journal.header.siblings};
  for (const core::Remedy& remedy : turned_wrong(journal, machine_of(journal, surface)))
    status.settings.push_back(fmt::format("{}: {}", remedy.seen.name, remedy.seen.observed));
  for (const Change& process : irqbalance_since(journal, surface))
    status.settings.push_back(fmt::format("{} was started", to_string(process)));
  for (const Change& thread : newcomers(journal, plan, surface)) status.newcomers.push_back(to_string(thread));
  for (const core::Task& thread : threads_moved_in(journal, surface)) status.moved_in.push_back(thread.comm);
  return status;
}

}  // namespace maxlat::shield
