// SPDX-License-Identifier: MIT
#include "shield_move.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <maxlat/core/sys/shield_door.hpp>
#include <set>
#include <utility>

#include "change/moved_change.hpp"
#include "followers.hpp"
#include "journal/lock.hpp"
#include "steps/shield.hpp"
#include "steps/step.hpp"

namespace maxlat::shield {
namespace {

using core::CpuList;
using core::Task;
using Thread = std::pair<pid_t, uint64_t>;

constexpr int kMostPasses = 5;  // over threads that begin while the others are moved

unsigned number_in(const std::string& text) {
  unsigned value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string name_of(const Task& process) {
  return fmt::format("{} ({})", process.comm, process.pid);
}

// --- which shield

core::Result<JournalContent> journal_of_shield_that_is_on(const std::string& path, const Surface& surface) {
  const auto read = read_journal(path);
  if (!read) return read.error();
  if (const core::Status none = no_other_journal_is_on(path, surface); !none) return none.error();
  if (!*read || is_stale(**read, surface)) return core::Error{"no shield is on", "maxlat shield on --cpus 2-3"};
  if (!(*read)->damaged.empty())
    return core::Error{damage_text(**read, path), "maxlat shield off --force undoes what is not damaged"};
  if (!is_complete(**read))
    return core::Error{"there is a shield that did not come to its end", "maxlat shield off undoes what it had done"};
  if ((*read)->header.held)
    return core::Error{fmt::format("the shield of CPU {} is a run's or a command's own, for as long as that lives",
                                   core::to_string((*read)->header.cpus)),
                       "a shield that takes processes in is one of maxlat shield on"};
  return **read;
}

// Nobody else changes it meanwhile. Without a shield nothing is written, the lock neither.
struct Site {
  Lock lock;
  JournalContent journal;
  static core::Result<Site> enter(const std::string& path, const Surface& surface) {
    if (const auto seen = journal_of_shield_that_is_on(path, surface); !seen) return seen.error();
    core::Result<Lock> lock = Lock::take(surface.view().root);
    if (!lock) return lock.error();
    core::Result<JournalContent> journal = journal_of_shield_that_is_on(path, surface);
    if (!journal) return journal.error();
    return Site{*std::move(lock), *std::move(journal)};
  }
};

ShieldPlan plan_of(const JournalContent& journal, const std::string& path) {
  return {.cpus = journal.header.cpus,
          .housekeeping = journal.header.housekeeping,
          .siblings = journal.header.siblings,
          .journal = path};
}

// --- which processes

// ERRORS: nobody may move it, or nobody should.
core::Result<Task> process_to_move(pid_t number, const Surface& surface) {
  const auto task = core::task_of(surface.view(), static_cast<unsigned>(number));
  if (!task) return core::Error{fmt::format("there is no process {}", number)};
  if (const std::string process = core::status_word(surface.view(), *task, "Tgid").value_or(task->pid);
      process != task->tid)
    return core::Error{fmt::format("{} is a thread of process {}", number, process),
                       fmt::format("a process is moved as a whole: maxlat shield move {}", process)};
  if (number == 1)
    return core::Error{"process 1 stays outside: everything that it starts later would be in the shield", ""};
  if (task->of_the_kernel && task->comm.starts_with("irq/"))
    return core::Error{fmt::format("{} is the thread of an interrupt, and goes where that goes", name_of(*task)),
                       "move the interrupt: /proc/irq/NUMBER/smp_affinity_list"};
  if (task->bound)
    return core::Error{
        fmt::format("{} is a thread of the kernel, which binds it to CPUs of its choice", name_of(*task)), ""};
  return *task;
}

core::Result<std::vector<Task>> processes_to_move(const std::vector<pid_t>& numbers, const Surface& surface) {
  std::vector<Task> processes;
  for (const pid_t number : numbers) {
    core::Result<Task> process = process_to_move(number, surface);
    if (!process) return process.error();
    const auto is_it = [&](const Task& one) { return one.pid == process->pid; };
    if (std::none_of(processes.begin(), processes.end(), is_it)) processes.push_back(*std::move(process));
  }
  return processes;
}

std::vector<Task> threads_of(const Task& process, const Surface& surface) {
  std::vector<Task> threads;
  for (const std::string& tid : surface.view().list("/proc/" + process.pid + "/task"))
    if (auto thread = core::task_of(surface.view(), number_in(tid))) threads.push_back(*std::move(thread));
  return threads;
}

// --- in

// A line for each thread that is outside.
std::vector<Change> moves_of(const Task& process, const CpuList& cpus, bool has_group, const Surface& surface) {
  std::vector<Change> moves;
  for (const Task& thread : threads_of(process, surface)) {
    const CpuList before = core::cpus_of(surface.view(), thread).value_or(CpuList{});
    Change move = affinity_change(thread, before, cpus);
    move.kind = Change::Kind::moved;
    if (has_group) move.path = group_of(thread, surface);
    if (!before.empty() && !stands(move, Standing::unknown, surface)) moves.push_back(std::move(move));
  }
  return moves;
}

// The kernel moves a process as a whole, and so does off(). ERRORS: its threads are in several groups; its group is
// not below the root of the hierarchy that is seen here.
core::Status can_come_back(const Task& process, const std::vector<Change>& moves, const Surface& surface) {
  for (const Change& move : moves) {
    if (move.path != moves.front().path)
      return core::Error{fmt::format("the threads of {} are in several groups: {} and {}", name_of(process),
                                     moves.front().path, move.path),
                         "move each thread by itself, or bring them into one group first"};
    const bool is_seen =
        move.path.empty() || (move.path.find("/..") == std::string::npos && !surface.view().list(move.path).empty());
    if (!is_seen)
      return core::Error{fmt::format("{} is in {}, which is not seen from here", name_of(process), move.path),
                         "use maxlat outside of the container"};
  }
  return {};
}

// Until no thread has begun outside meanwhile. ERRORS: the journal cannot be written.
core::Status move_in(const Task& process, bool has_group, Workshop& workshop, MovedProcess& moved) {
  std::set<Thread> tried;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    std::vector<Change> moves = moves_of(process, workshop.plan().cpus, has_group, workshop.surface());
    std::erase_if(moves, [&](const Change& move) { return !tried.emplace(move.task, move.started).second; });
    if (moves.empty()) break;
    if (const core::Status recorded = workshop.record(moves); !recorded) return recorded;
    std::vector<std::string> refused = workshop.make(moves);
    moved.threads += moves.size() - refused.size();
    std::move(refused.begin(), refused.end(), std::back_inserter(moved.refused));
  }
  return {};
}

// --- out

// Those of its threads, the last one first.
std::vector<Change> lines_of(const Task& process, const JournalContent& journal, const Surface& surface) {
  std::set<Thread> threads;
  for (const Task& thread : threads_of(process, surface)) threads.emplace(number_in(thread.tid), thread.started);
  std::vector<Change> lines;
  for (auto change = journal.changes.rbegin(); change != journal.changes.rend(); ++change)
    if (change->kind == Change::Kind::moved && threads.contains({change->task, change->started}))
      lines.push_back(*change);
  return lines;
}

// What the threads of these lines have begun inside. Where there are no groups, it has only its CPUs from them.
void bring_out_what_they_began(const std::vector<Change>& lines, const JournalContent& journal, const ShieldPlan& plan,
                               Surface& surface, MovedProcess& moved) {
  std::set<Thread> leaders;
  for (const Change& line : lines) leaders.emplace(line.task, line.started);
  for (const auto& [task, leader] : followers_now(journal, surface)) {
    if (!leaders.contains({leader->task, leader->started})) continue;
    core::Status out;
    if (!leader->path.empty()) {
      if (is_in_group_of_shield(task, surface)) out = bring_out(task, leader->path, surface);
    } else if (same_online(core::cpus_of(surface.view(), task).value_or(CpuList{}), plan.cpus, surface.online())) {
      out = surface.set_affinity(static_cast<pid_t>(number_in(task.tid)), plan.housekeeping);
    }
    if (!out && core::cpus_of(surface.view(), task)) moved.refused.push_back(out.error().text);
  }
}

core::Status move_out(const std::vector<Change>& lines, const JournalContent& journal, Workshop& workshop,
                      MovedProcess& moved) {
  bring_out_what_they_began(lines, journal, workshop.plan(), workshop.surface(), moved);
  std::vector<Change> returned;
  // Before the first of them takes the others along.
  const std::vector<Standing> all_now = standings(lines, workshop.surface());
  for (size_t i = 0; i < lines.size(); ++i) {
    const Change& line = lines[i];
    const bool is_out = all_now[i] == Standing::as_before || all_now[i] == Standing::gone;
    const core::Status undone = is_out ? core::Status{} : undo(line, workshop.surface());
    if (!undone) {
      moved.refused.push_back(undone.error().text);
      continue;
    }
    moved.threads += is_out ? 0 : 1;
    returned.push_back(line);
    returned.back().kind = Change::Kind::returned;
  }
  return workshop.record(returned);
}

}  // namespace

bool MoveReport::is_whole() const {
  return std::all_of(processes.begin(), processes.end(), [](const auto& process) { return process.refused.empty(); });
}

core::Result<MoveReport> shield_move_in(const std::string& path, const std::vector<pid_t>& numbers, Surface& surface) {
  const core::Result<Site> site = Site::enter(path, surface);
  if (!site) return site.error();
  const core::Result<std::vector<Task>> processes = processes_to_move(numbers, surface);
  if (!processes) return processes.error();
  const ShieldPlan plan = plan_of(site->journal, path);
  const bool has_group = core::ShieldDoor::find(surface.view().root).has_value();
  for (const Task& process : *processes)
    if (const core::Status can = can_come_back(process, moves_of(process, plan.cpus, has_group, surface), surface);
        !can)
      return can.error();
  MoveReport report{.cpus = plan.cpus, .processes = {}};
  const core::Result<ShieldReport> made = go_on(plan, surface, [&](Workshop& workshop) {
    for (const Task& process : *processes) {
      report.processes.push_back({.number = static_cast<pid_t>(number_in(process.pid)), .name = process.comm});
      const core::Status moved = move_in(process, has_group, workshop, report.processes.back());
      if (!moved) return moved;
    }
    return core::Status{};
  });
  if (!made) return made.error();
  return report;
}

core::Result<MoveReport> shield_move_out(const std::string& path, const std::vector<pid_t>& numbers, Surface& surface) {
  const core::Result<Site> site = Site::enter(path, surface);
  if (!site) return site.error();
  const core::Result<std::vector<Task>> processes = processes_to_move(numbers, surface);
  if (!processes) return processes.error();
  std::vector<std::vector<Change>> lines;
  for (const Task& process : *processes) {
    lines.push_back(lines_of(process, site->journal, surface));
    if (lines.back().empty())
      return core::Error{fmt::format("{} was not moved into the shield", name_of(process)), "maxlat shield status"};
  }
  MoveReport report{.cpus = site->journal.header.cpus, .processes = {}};
  const core::Result<ShieldReport> made = go_on(plan_of(site->journal, path), surface, [&](Workshop& workshop) {
    for (size_t i = 0; i < lines.size(); ++i) {
      const Task& process = (*processes)[i];
      report.processes.push_back({.number = static_cast<pid_t>(number_in(process.pid)), .name = process.comm});
      const core::Status moved = move_out(lines[i], site->journal, workshop, report.processes.back());
      if (!moved) return moved;
    }
    return core::Status{};
  });
  if (!made) return made.error();
  return report;
}

std::vector<Task> threads_moved_in(const JournalContent& journal, const Surface& surface) {
  std::vector<Task> inside;
  const Followers followers(journal);
  if (!followers.are_possible()) return inside;
  for (const Task& task : surface.tasks()) {
    const Change* line = followers.leader_of(task, surface);
    Change own = affinity_change(task, {}, {});
    const auto is_own = [&](const Change& change) {
      return change.kind == Change::Kind::moved && change.task == own.task && change.started == own.started;
    };
    if (line == nullptr) {
      const auto found = std::find_if(journal.changes.rbegin(), journal.changes.rend(), is_own);
      if (found == journal.changes.rend()) continue;
      line = &*found;
    }
    own.kind = Change::Kind::moved, own.path = line->path, own.wanted = line->wanted;
    if (stands(own, Standing::unknown, surface)) inside.push_back(task);
  }
  return inside;
}

}  // namespace maxlat::shield
