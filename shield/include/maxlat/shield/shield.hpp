// SPDX-License-Identifier: MIT
//
// The shield: some CPUs for real-time work alone, everything else on the others, and all of it undone when asked.
//
//   on     each step looks at the machine, journals what it is about to change, changes it, and reads it back
//   off    replays the journal backwards: what is as we made it becomes what it was
//   status what in the journal is still as we made it
//
// INVARIANTS, each with a test in shield_test.cpp, and in a guest with a real kernel (tests/guest/shield_*.guest.sh)
//   (1) Nothing is changed that is not in the journal, on stable storage, first.
//   (2) off() after a death between any two changes leaves everything as it was before.
//   (3) What somebody else has changed since is named, and left alone unless forced.
//   (4) One shield of a box at a time, wherever its journal is. Where one with the same CPUs is on, on() makes what has
//       drifted right again; with other CPUs it is refused.
//
// A step that is not possible here (a read-only /sys, no rights, an old kernel) is reported and left out: the shield
// is weaker, but never silently. If all steps are impossible, except those that were right already, nothing was
// shielded, and that is an error.
#pragma once

#include <sys/types.h>

#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::shield {

struct ShieldPlan {
  core::CpuList cpus{};          // to be shielded
  core::CpuList housekeeping{};  // for everything else; empty: the other online CPUs
  core::CpuList siblings{};      // that share a core with `cpus`, to be taken offline; empty: they stay
  bool timers = false;           // that are armed on `cpus` leave: each CPU goes offline once, and comes back
  bool mounts = false;           // tracefs and debugfs, where they are not mounted
  std::string journal = "/var/lib/maxlat/shield.journal";
  bool held = false;              // by a process, whose end is to be its end (held_shield.hpp)
  bool any_housekeeping = false;  // none were asked for: a shield that is on may have others
};

struct StepReport {
  enum class Outcome { done, already, not_possible, needs_reboot, by_hand } outcome = Outcome::done;
  std::string step;  // "cpuset", "governor"
  std::string text;  // what was done, or why not, or what a person has to do
};
std::string to_string(StepReport::Outcome outcome);

struct ShieldReport {
  std::vector<StepReport> steps;
  core::CpuList housekeeping{};  // the plan's, or those of the shield that was on
  bool was_on = false;           // and is not the caller's to take off
  size_t changes = 0;            // that it consists of; status and off count the same
  size_t lost = 0;               // of these, that had been made once, and cannot be made so again
  size_t count(StepReport::Outcome outcome) const;
};

// What became of each change at off, or stands now. Those that are as they should be are only counted.
struct UndoReport {
  core::CpuList cpus;
  std::string since;
  size_t undone = 0, already = 0, gone = 0;
  size_t inherited = 0;             // further threads, which began under the shield
  size_t interrupts = 0;            // that were made under it, and have got the default from before it
  std::vector<std::string> left;    // changed by somebody else since: left as it is, and kept for `off --force`
  std::vector<std::string> failed;  // cannot be undone, and why; the journal stays
  bool rebooted = false;            // between on and off: the reboot has undone all
  bool torn = false;                // the journal ends within a line: that change was not made
  std::string journal_stays{};      // though all is undone: why it cannot be removed (a disk that is read-only now)
};

// "35 changes undone, 2 had been before, 1 gone with their threads"
std::string counts_text(const UndoReport& report);
// Of a report whose journal stays; and what to do about it.
std::string stays_text(const UndoReport& report);
inline constexpr const char* kWhenTheJournalStays =
    "when it can be: maxlat shield off removes it, and maxlat shield on begins anew";

struct ShieldStatus {
  bool on = false;
  core::CpuList cpus, housekeeping;
  std::string since;
  bool held = false;              // as long as a process lives that holds it
  std::optional<pid_t> holder{};  // that process, where the caller has looked for it
  bool is_complete = false;       // it has come to its end
  std::string damage{};           // of the journal: in which lines; what they changed is not known
  size_t changes = 0, standing = 0;
  size_t gone = 0;                       // their threads have ended, or what they are of is not there any more
  std::vector<std::string> drifted;      // changed by somebody else since, or not as we made it
  std::vector<std::string> settings{};   // that are not right, and were when it came: "governor: powersave (CPU 2)"
  std::vector<std::string> newcomers{};  // threads that may run on its CPUs, and are in no line of the journal
  std::vector<std::string> moved_in{};   // names of the threads that were sent in, and of what they have begun inside
  bool rebooted = false;
};

}  // namespace maxlat::shield
