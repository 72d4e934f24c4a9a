// SPDX-License-Identifier: MIT
//
// Who may run where. Three means, the strongest that the machine has:
//
//   cgroup v2   a partition of its own: the scheduler takes the CPUs from everybody else, kernel threads too, and no
//               longer balances load on them (`isolated`). The group is threaded, so that a process can leave its other
//               threads outside and send in the one that measures.
//   cgroup v1   a group for the shield and one for the system; the system's threads are moved there, one by one, and
//               the scheduler balances load in the second alone (admin-guide/cgroup-v1/cpusets.rst)
//   affinity    of every thread that may be moved. New threads inherit it from their parents. It is what is left in a
//               container, and what the others need, too: a thread that its owner has bound to some CPUs forgets that
//               when its cpuset changes (before Linux 6.2), so all masks are journalled first, whatever comes then.
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/cpuset_place.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>

#include "change/slices.hpp"
#include "step.hpp"

namespace maxlat::shield {
namespace {

using core::CpuList;
using core::CpusetPlace;
using Outcome = StepReport::Outcome;

constexpr int kMostPasses = 5;  // over threads that begin while others are moved

struct Threads {
  std::vector<Change> movable;  // with the mask they have, and the one they shall have
  CpuList elsewhere;            // where owners have bound some, neither on the shield nor on a housekeeping CPU
  size_t bound_by_kernel = 0;   // on shielded CPUs, where no one can move them
  std::vector<std::string> bound_by_owner;
};

// A thread that its owner has bound to shielded CPUs alone is meant to be there: an application's real-time loop. So is
// one that its owner lets use no housekeeping CPU: a tracer's daemon on a CPU of its own. All others keep house.
Threads threads_of(const ShieldPlan& plan, const Surface& surface) {
  Threads threads;
  const CpuList shielded = core::union_of(plan.cpus, plan.siblings);
  const CpuList online = surface.online();
  for (const core::Task& task : surface.tasks()) {
    const auto all = core::cpus_of(surface.view(), task);
    if (!all) continue;
    const CpuList cpus = core::intersection(*all, online);
    const bool touches = !core::intersection(cpus, shielded).empty();
    if (task.of_the_kernel && task.comm.starts_with("irq/")) continue;  // goes where its interrupt goes
    if (task.bound) {
      threads.bound_by_kernel += touches ? 1 : 0;
      continue;
    }
    if (cpus.empty() || (!touches && cpus == online)) continue;
    const CpuList others = core::difference(cpus, shielded);
    const CpuList house = core::intersection(others, plan.housekeeping);
    if (others.empty() && !core::intersection(cpus, plan.cpus).empty()) {
      if (!task.of_the_kernel) threads.bound_by_owner.push_back(fmt::format("{} ({})", task.comm, task.tid));
      threads.movable.push_back(affinity_change(task, cpus, cpus));
    } else if (house.empty() && !others.empty() && !task.of_the_kernel) {
      threads.elsewhere = core::union_of(threads.elsewhere, others);
      threads.movable.push_back(affinity_change(task, *all, others));
    } else {
      // With the CPUs that are offline now: when they come back, it may use them as before.
      threads.movable.push_back(affinity_change(task, *all, house.empty() ? plan.housekeeping : house));
    }
  }
  return threads;
}

size_t number_to_move(const Threads& threads) {
  return static_cast<size_t>(std::count_if(threads.movable.begin(), threads.movable.end(),
                                           [](const Change& change) { return change.before != change.wanted; }));
}

// --- cgroup v2

core::Status enable_controller(const CpusetPlace& place, Workshop& workshop, std::vector<std::string>& refused) {
  const Change change{
      .kind = Change::Kind::controller, .path = place.mount + "/cgroup.subtree_control", .wanted = "cpuset"};
  const Standing now = standing(change, workshop.surface());
  if (stands(change, now, workshop.surface())) return {};  // also where others have it on: it is not ours to undo
  if (const core::Status recorded = workshop.record({&change, 1}); !recorded) return recorded;
  refused = workshop.make({&change, 1});
  return {};
}

// What is written in the group's own files goes with the group: it is journalled when it has come out well, so that it
// can be seen to stand.
using Inside = std::vector<std::pair<std::string, std::string>>;
core::Status record_inside(const std::string& group, const Inside& files, Workshop& workshop) {
  std::vector<Change> changes;
  for (const auto& [file, value] : files)
    changes.push_back({.kind = Change::Kind::inside, .path = group + "/" + file, .wanted = value});
  return workshop.record(changes);
}

core::Status write_into(const std::string& group, const char* file, const std::string& value, Workshop& workshop) {
  return workshop.surface().write(group + "/" + file, value);
}

// "isolated", "root", or why the kernel calls neither valid: it takes the word and then says in the same file.
std::string become_partition(const std::string& group, Workshop& workshop, std::string& why_not) {
  for (const char* kind : {"isolated", "root"}) {
    const core::Status written = write_into(group, "cpuset.cpus.partition", kind, workshop);
    const std::string now = workshop.surface().view().read(group + "/cpuset.cpus.partition").value_or("not there");
    if (written && now == kind) return kind;
    if (why_not.empty()) why_not = written ? "the kernel says " + now : written.error().text;
  }
  return {};
}

core::Status make_folder(const std::string& path, Workshop& workshop, std::vector<std::string>& refused) {
  const Change folder{.kind = Change::Kind::folder, .path = path};
  if (const core::Status recorded = workshop.record({&folder, 1}); !recorded) return recorded;
  refused = workshop.make({&folder, 1});
  return {};
}

// Where systemd owns the hierarchy (slices.hpp). `room`: what is left to its units.
core::Status keep_systemd_off(const CpuList& room, Workshop& workshop) {
  // Each unit for itself: what somebody does to one of them meanwhile keeps none of the others from being undone.
  std::vector<Change> changes;
  const std::vector<std::string> units(std::begin(kUnitsOfTheRoot), std::end(kUnitsOfTheRoot));
  const auto all_before = slices_cpus(workshop.surface(), units);
  if (!all_before) {
    workshop.report({Outcome::not_possible, "systemd", all_before.error().text});
    return {};
  }
  for (size_t i = 0; i < units.size(); ++i) {
    const std::optional<std::string>& before = (*all_before)[i];
    if (!before) continue;
    const auto had = core::parse_cpu_list(without_mark(*before));
    const CpuList left = had ? core::intersection(*had, room) : CpuList{};
    changes.push_back({.kind = Change::Kind::slices,
                       .path = "AllowedCPUs of " + units[i],
                       .before = to_line({units[i], *before}),
                       .wanted = to_line({units[i], core::to_string(left.empty() ? room : left)})});
  }
  if (changes.empty()) return {};
  if (const core::Status recorded = workshop.record(changes); !recorded) return recorded;
  const std::vector<std::string> refused = workshop.make(changes);
  if (refused.empty())
    workshop.report({Outcome::done, "systemd", "its slices keep to CPU " + core::to_string(room)});
  else
    workshop.report({Outcome::not_possible, "systemd", refused.front()});
  return {};
}

// Sets `report` whichever way it ends.
core::Status make_partition(const CpusetPlace& place, const CpuList& room, Workshop& workshop, StepReport& report) {
  std::vector<std::string> refused;
  const std::string group = place.group();
  const std::vector<GroupOfOthers> theirs = groups_of_others(workshop.plan().cpus, place, workshop.surface());
  std::vector<GroupOfOthers> partitions = theirs;
  std::erase_if(partitions, [](const GroupOfOthers& other) { return !other.is_partition(); });
  if (!partitions.empty()) {
    report = {Outcome::not_possible, "cpuset",
              "a partition of somebody else's has these CPUs: " + to_string(partitions)};
    return {};
  }
  if (const core::Status recorded = enable_controller(place, workshop, refused); !recorded) return recorded;
  if (refused.empty())
    if (const core::Status recorded = keep_systemd_off(room, workshop); !recorded) return recorded;
  if (refused.empty())
    if (const core::Status recorded = make_folder(group, workshop, refused); !recorded) return recorded;
  report = {Outcome::not_possible, "cpuset", refused.empty() ? "" : refused.front()};
  if (!refused.empty()) return {};
  const std::string cpus = core::to_string(workshop.plan().cpus);
  core::Status written = write_into(group, "cgroup.type", "threaded", workshop);
  if (written) written = write_into(group, "cpuset.cpus", cpus, workshop);
  std::string why_not = written ? "" : written.error().text;
  const std::string kind = written ? become_partition(group, workshop, why_not) : "";
  if (!kind.empty()) {
    report = {Outcome::done, "cpuset", fmt::format("{} is an {} partition of cgroup v2", group, kind)};
    if (kind == "root")
      report.text = fmt::format("{} is a partition of cgroup v2; {}, so load is balanced in it", group, why_not);
    return record_inside(group, {{"cgroup.type", "threaded"}, {"cpuset.cpus", cpus}, {"cpuset.cpus.partition", kind}},
                         workshop);
  }
  report.text = why_not;
  if (!theirs.empty()) report.text += "; others have these CPUs: " + to_string(theirs);
  // An empty group would look like a shield. One that cannot be removed is ours still, for off() to try again.
  const Change folder{.kind = Change::Kind::folder, .path = group};
  if (const core::Status gone = undo(folder, workshop.surface()); gone)
    workshop.note_refused({folder});
  else
    report.text += "; " + gone.error().text;
  return {};
}

// --- cgroup v1

// Threads of the kernel that it binds itself stay where they are, and are refused. Looks again until none has begun
// meanwhile.
void move_all(const std::string& from, const std::string& to, Workshop& workshop) {
  std::set<std::string> tried;
  for (int pass = 0, found = 1; found > 0 && pass < kMostPasses; ++pass) {
    found = 0;
    std::istringstream threads(workshop.surface().view().read(from + "/tasks").value_or(""));
    for (std::string thread; threads >> thread;)
      if (tried.insert(thread).second) ++found, static_cast<void>(workshop.surface().write(to + "/tasks", thread));
  }
}

core::Status write_files(const std::string& group, const Inside& files, Workshop& workshop) {
  for (const auto& [file, value] : files)
    if (const core::Status written = write_into(group, file.c_str(), value, workshop); !written) return written;
  return {};
}

// No other group may then have these CPUs. The kernel refuses where one has.
core::Status make_exclusive(const CpusetPlace& place, Workshop& workshop) {
  const Inside exclusive{{place.prefix + "cpu_exclusive", "1"}};
  const core::Status written = write_files(place.group(), exclusive, workshop);
  if (written) return record_inside(place.group(), exclusive, workshop);
  workshop.report({Outcome::not_possible, "exclusive CPUs", written.error().text});
  return {};
}

// The root's group has all CPUs: as long as load is balanced in it, it is balanced over all of them.
core::Status balance_in_groups_alone(const CpusetPlace& place, Workshop& workshop, StepReport& report) {
  Change change{.path = place.mount + "/" + place.prefix + "sched_load_balance", .wanted = "0"};
  change.before = workshop.surface().view().read(change.path).value_or("");
  std::vector<std::string> refused;
  if (change.before != change.wanted) {
    if (const core::Status recorded = workshop.record({&change, 1}); !recorded) return recorded;
    refused = workshop.make({&change, 1});
  }
  // Load is balanced in each group that says so, also in theirs.
  const std::vector<GroupOfOthers> theirs = groups_of_others(workshop.plan().cpus, place, workshop.surface());
  if (!refused.empty())
    workshop.report({Outcome::not_possible, "load balancing", refused.front()});
  else if (theirs.empty())
    report.text += ", load is balanced in the second alone";
  if (!theirs.empty()) report.text += "; others have these CPUs, too: " + to_string(theirs);
  return {};
}

core::Status make_groups(const CpusetPlace& place, const CpuList& room, Workshop& workshop, StepReport& report) {
  const std::string shield = place.group(), system = place.system_group();
  const std::string memory = workshop.surface().view().read(place.mount + "/" + place.prefix + "mems").value_or("0");
  report = {Outcome::done, "cpuset", fmt::format("{} and {}, groups of cgroup v1", shield, system)};
  for (const auto& [group, cpus, is_balanced] :
       {std::tuple(shield, workshop.plan().cpus, "0"), std::tuple(system, room, "1")}) {
    std::vector<std::string> refused;
    if (const core::Status recorded = make_folder(group, workshop, refused); !recorded) return recorded;
    const Inside files{{place.prefix + "mems", memory},
                       {place.prefix + "cpus", core::to_string(cpus)},
                       {place.prefix + "sched_load_balance", is_balanced}};
    const core::Status written =
        refused.empty() ? write_files(group, files, workshop) : core::Status{core::Error{refused.front()}};
    if (!written) {
      report = {Outcome::not_possible, "cpuset", written.error().text};
      return {};
    }
    if (const core::Status recorded = record_inside(group, files, workshop); !recorded) return recorded;
  }
  if (const core::Status recorded = make_exclusive(place, workshop); !recorded) return recorded;
  move_all(place.mount, system, workshop);
  return balance_in_groups_alone(place, workshop, report);
}

// --- affinity

bool is_off(const std::string& mask, const CpuList& shielded) {
  const auto cpus = core::parse_cpu_list(mask);
  return cpus && core::intersection(*cpus, shielded).empty();
}

// A cpuset that changes gives each of its threads all CPUs it has, on Linux before 6.2: what was narrower becomes so
// again.
StepReport make_affinity(const Threads& threads, Workshop& workshop) {
  std::vector<Change> left;
  std::string moved_all_the_same;
  const size_t to_move = number_to_move(threads);
  for (const Change& change : threads.movable) {
    const auto task = core::task_of(workshop.surface().view(), static_cast<unsigned>(change.task));
    const bool is_it = task && task->started == change.started;  // and no other one that has its number since
    const auto cpus = is_it ? core::cpus_of(workshop.surface().view(), *task) : std::nullopt;
    if (!cpus || core::to_string(core::intersection(*cpus, workshop.surface().online())) == change.wanted) continue;
    if (is_off(change.wanted, workshop.plan().cpus))
      left.push_back(change);
    else
      moved_all_the_same += fmt::format("; {} was bound there, and the cpuset has moved it", to_string(change));
  }
  const std::vector<std::string> refused = workshop.make(left);
  std::string text = fmt::format("{} threads are off the shielded CPUs", to_move - std::min(to_move, refused.size()));
  if (threads.bound_by_kernel > 0) text += fmt::format("; {} of the kernel's are bound there", threads.bound_by_kernel);
  if (!refused.empty()) text += fmt::format("; {} cannot be moved: {}", refused.size(), refused.front());
  text += moved_all_the_same;
  if (moved_all_the_same.empty())
    for (const std::string& name : threads.bound_by_owner) text += "; " + name + " is bound there by its owner";
  // A few of the kernel's may refuse anywhere; in a container only one's own can be moved.
  const bool hardly_any = !refused.empty() && 2 * refused.size() >= to_move;
  return {hardly_any ? Outcome::not_possible : Outcome::done, "affinity", std::move(text)};
}

// Threads that began while the others were moved have the masks that their parents had before.
core::Status move_newcomers(const Threads& threads, Workshop& workshop, StepReport& report) {
  std::set<std::pair<pid_t, uint64_t>> known;
  std::vector<Change> fresh = threads.movable;
  size_t moved = 0;
  for (int pass = 0;; ++pass) {
    for (const Change& change : fresh) known.emplace(change.task, change.started);
    fresh = threads_of(workshop.plan(), workshop.surface()).movable;
    std::erase_if(fresh, [&](const Change& change) {
      return known.contains({change.task, change.started}) || change.before == change.wanted;
    });
    if (fresh.empty() || pass == kMostPasses) break;
    if (const core::Status recorded = workshop.record(fresh); !recorded) return recorded;
    moved += fresh.size() - workshop.make(fresh).size();
  }
  if (moved > 0) report.text += fmt::format("; {} began meanwhile, and are off them, too", moved);
  if (!fresh.empty()) report.text += fmt::format("; {} have begun since, and may use them still", fresh.size());
  return {};
}

core::Status make_cpuset_and_affinity(Workshop& workshop) {
  const Threads threads = threads_of(workshop.plan(), workshop.surface());
  if (const core::Status recorded = workshop.record(threads.movable); !recorded) return recorded;
  // What a cpuset denies it denies to all that is in it.
  const CpuList room = core::union_of(workshop.plan().housekeeping, threads.elsewhere);
  StepReport report{Outcome::not_possible, "cpuset", "no cgroup hierarchy here has cpusets"};
  if (const auto place = core::cpuset_place(workshop.surface().view().root)) {
    const core::Status made = place->version == CpusetPlace::Version::two
                                  ? make_partition(*place, room, workshop, report)
                                  : make_groups(*place, room, workshop, report);
    if (!made) return made;
  }
  workshop.report(std::move(report));
  StepReport affinity = make_affinity(threads, workshop);
  const core::Status moved = move_newcomers(threads, workshop, affinity);
  workshop.report(std::move(affinity));
  return moved;
}

std::string means_of(const std::optional<CpusetPlace>& place, const Surface& surface) {
  if (!place) return "by its affinity alone";
  if (place->version == CpusetPlace::Version::one)
    return fmt::format("by cpusets of cgroup v1 ({} and {})", place->group(), place->system_group());
  return fmt::format("by a cpuset of cgroup v2 ({}){}", place->group(),
                     surface.has_systemd() ? ", and by AllowedCPUs= of systemd's slices" : "");
}

std::string would_move(const ShieldPlan& plan, const Surface& surface) {
  return fmt::format("keep {} off {}", core::counted(number_to_move(threads_of(plan, surface)), "thread"),
                     means_of(core::cpuset_place(surface.view().root), surface));
}

}  // namespace

std::vector<Change> newcomers(const JournalContent& journal, const ShieldPlan& plan, const Surface& surface) {
  std::set<std::pair<pid_t, uint64_t>> known;
  for (const Change& change : journal.changes)
    if (change.kind == Change::Kind::affinity) known.emplace(change.task, change.started);
  std::vector<Change> fresh = threads_of(plan, surface).movable;
  std::erase_if(fresh, [&](const Change& change) {
    return known.contains({change.task, change.started}) || change.before == change.wanted ||
           is_off(change.before, plan.cpus);
  });
  return fresh;
}

core::Status no_group_is_there(const Surface& surface) {
  const auto place = core::cpuset_place(surface.view().root);
  if (!place) return {};
  for (const std::string& group : {place->group(), place->system_group()})
    if (!surface.view().list(group).empty())
      return core::Error{"there is a group of another shield: " + group,
                         "maxlat shield off --journal FILE with its own journal; if none is left: rmdir " + group};
  return {};
}

extern const Step kCpusetStep{"cpuset and affinity", make_cpuset_and_affinity, would_move};

}  // namespace maxlat::shield
