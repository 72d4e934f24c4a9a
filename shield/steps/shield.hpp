// SPDX-License-Identifier: MIT
//
// On, off and status, on a surface: what the commands call, and the tests.
#pragma once

#include <maxlat/shield/shield.hpp>

#include "change/surface.hpp"
#include "journal/journal.hpp"

namespace maxlat::shield {

// What a shield writes is root's; without this, each file would be refused for itself. ERRORS: not root (77).
core::Status require_root();
// This machine, with the CPUs of the plan.
core::MachineView view_of(const ShieldPlan& plan);

// The plan with its housekeeping CPUs filled in. ERRORS: a CPU that is not online, none left for housekeeping, a CPU on
// both sides.
core::Result<ShieldPlan> complete_plan(ShieldPlan plan, const core::CpuList& online);

// The plan of a holder, on this machine. ERRORS: those of complete_plan(); not root (77).
core::Result<ShieldPlan> held_plan(ShieldPlan asked);

// REQUIRES: a plan of complete_plan(), and a surface whose view has its CPUs. ERRORS: another shield is on or at work;
// the journal cannot be written; nothing is possible here (77); a stop was requested: then everything is as it was
// before.
core::Result<ShieldReport> shield_on(const ShieldPlan& plan, Surface& surface);

// Whether all of its changes are in it. Not so where it ends within a line: what is written behind that is damaged.
bool is_complete(const JournalContent& journal);
// Whether the journal is one that needs no undoing: of a death before the first change, of another boot, or of a shield
// of which nothing stands any more.
bool is_stale(const JournalContent& journal, const Surface& surface);
// ERRORS: the shield that is on has another journal than this one.
core::Status no_other_journal_is_on(const std::string& journal, const Surface& surface);
// One shield at a time. ERRORS: another one is on, whose journal is elsewhere, or not known.
core::Status no_other_is_on(const ShieldPlan& plan, const Surface& surface);
// Whether shield_on() takes the shield of this journal for the one that is asked for. ERRORS: why not.
core::Status may_use(const JournalContent& journal, const ShieldPlan& plan, const Surface& surface);

// What shield_on() would do, step by step, in words that go on after "would": "make 9 settings right (14 files), keep
// 95 threads off by a cpuset of cgroup v2". Nothing is changed. REQUIRES: as shield_on().
std::string would_do(const ShieldPlan& plan, const Surface& surface);

// What HeldShield::put_on() and take_off() would do with this plan, which is `held`. ERRORS: those of put_on() that can
// be seen beforehand.
core::Result<std::string> preview_on(const ShieldPlan& plan, const Surface& surface);

// `force`: also what somebody else has changed since, and although lines of the journal are damaged; where no shield is
// on, what the last off() has left for that reason. Without a shield the report has no CPUs. ERRORS: the journal cannot
// be read, or is damaged; the shield that is on has another journal.
core::Result<UndoReport> shield_off(const std::string& journal, Surface& surface, bool force);
// At the end of a holder, which has held the shield all the while: no other held one can have come. One that a person
// has made since, by force, is left alone, and the report has no CPUs. Waits some seconds for who is at work. ERRORS:
// as above; who is at work takes longer.
core::Result<UndoReport> shield_off_held(const std::string& journal, Surface& surface);
// The same for a caller that has the Lock. What has inherited from a shield (inherited.hpp) is widened again, where the
// journal is whole.
enum class Inherited { widened, left };
core::Result<UndoReport> shield_off_locked(const std::string& journal, Surface& surface, bool force,
                                           Inherited inherited = Inherited::widened);

// held_shield.hpp. REQUIRES: not the holder.
void take_off_what_the_dead_hold(const std::string& journal, Surface& surface);

// Where the journal of what off() has left lies, beside that of the shield.
std::string left_of(const std::string& journal);

// ERRORS: the journal cannot be read; the shield that is on has another journal.
core::Result<ShieldStatus> shield_status(const std::string& journal, const Surface& surface);

}  // namespace maxlat::shield
