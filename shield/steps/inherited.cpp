// SPDX-License-Identifier: MIT
#include "inherited.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "move/followers.hpp"

namespace maxlat::shield {
namespace {

using core::CpuList;

// All masks that become narrower are written into the journal at once, before the first is changed. A shield that has
// not come so far has made nobody's narrower.
bool had_moved_threads(const JournalContent& journal) {
  const auto is_mask = [](const Change& change) { return change.kind == Change::Kind::affinity; };
  const auto is_narrower = [&](const Change& change) { return is_mask(change) && change.before != change.wanted; };
  const bool any = std::any_of(journal.changes.begin(), journal.changes.end(), is_narrower);
  return any && !(journal.torn && is_mask(journal.changes.back()));
}

// The kernel gives the threads that it kept off a partition all CPUs again when that goes: what is still narrow then,
// its owner has bound. Siblings that went offline, and CPUs that are neither shielded nor keep house, we have taken out
// of the masks ourselves.
bool does_the_kernel_widen(const JournalContent& journal, const CpuList& online) {
  const JournalHeader& header = journal.header;
  const bool all_others_keep_house =
      core::difference(core::difference(online, header.cpus), header.housekeeping).empty();
  return header.siblings.empty() && all_others_keep_house &&
         std::any_of(journal.changes.begin(), journal.changes.end(), [](const Change& change) {
           return change.kind == Change::Kind::inside && change.path.ends_with("/cpuset.cpus.partition");
         });
}

// A thread that began under the shield has its parent's narrower mask, and is in no journal. When the parent has all
// CPUs again and the child has not, it is ours to widen. What a moved thread has begun since has the CPUs of the shield
// from it; where that is all that made it be inside, it gets its parent's. Older ones first, for they are the others'
// parents.
void widen_threads(const JournalContent& journal, Surface& surface, UndoReport& report) {
  std::set<std::pair<pid_t, uint64_t>> known;
  for (const Change& change : journal.changes)
    if (change.kind == Change::Kind::affinity) known.emplace(change.task, change.started);
  const CpuList online = surface.online();
  const CpuList& narrow = journal.header.housekeeping;
  const Followers followers(journal);
  const auto follows = [&](const core::Task& task, const CpuList& cpus) {
    if (!followers.are_possible() || !same_online(cpus, journal.header.cpus, online)) return false;
    const Change* const leader = followers.leader_of(task, surface);
    return leader != nullptr && leader->path.empty();
  };
  std::vector<core::Task> tasks = surface.tasks();
  std::stable_sort(tasks.begin(), tasks.end(), [](const auto& a, const auto& b) { return a.started < b.started; });
  for (const core::Task& task : tasks) {
    pid_t number = 0;
    std::from_chars(task.tid.data(), task.tid.data() + task.tid.size(), number);
    if (task.bound || known.contains({number, task.started})) continue;
    const CpuList now = core::cpus_of(surface.view(), task).value_or(CpuList{});
    const bool is_follower = follows(task, now);
    if (!is_follower && !same_online(now, narrow, online)) continue;
    const auto parent = parent_of(task, surface);
    const CpuList wide = parent ? core::cpus_of(surface.view(), *parent).value_or(CpuList{}) : online;
    if (!is_follower && !same_online(wide, online, online)) continue;
    if (surface.set_affinity(number, wide)) ++report.inherited;
  }
}

// What an interrupt gets that is made while the shield is on, and got before; nothing: the shield has not changed it,
// or it is somebody else's since.
std::optional<std::pair<CpuList, CpuList>> narrow_and_wide_default(const JournalContent& journal,
                                                                   const Surface& surface) {
  for (const Change& change : journal.changes) {
    if (change.path != "/proc/irq/default_smp_affinity" || !counts(change, Standing::as_before, journal)) continue;
    const auto narrow = core::parse_cpu_mask(change.wanted), wide = core::parse_cpu_mask(change.before);
    if (narrow && wide && standing(change, surface) == Standing::as_before) return std::pair(*narrow, *wide);
  }
  return std::nullopt;
}

void widen_interrupts(const JournalContent& journal, Surface& surface, UndoReport& report) {
  const auto& before = journal.header.interrupts;
  const auto masks = narrow_and_wide_default(journal, surface);
  if (!before || !masks) return;
  const auto& [narrow, wide] = *masks;
  for (const unsigned interrupt : interrupts_there(surface)) {
    if (std::binary_search(before->begin(), before->end(), interrupt)) continue;
    const std::string path = fmt::format("/proc/irq/{}/smp_affinity_list", interrupt);
    const auto now = core::parse_cpu_list(surface.view().read(path).value_or(""));
    // Of the default the kernel takes what is online.
    if (!now || !same_online(*now, narrow, surface.online())) continue;
    if (surface.write(path, core::to_string(wide))) ++report.interrupts;
  }
}

}  // namespace

void widen_inherited(const JournalContent& journal, Surface& surface, UndoReport& report) {
  if (had_moved_threads(journal) && !does_the_kernel_widen(journal, surface.online()))
    widen_threads(journal, surface, report);
  widen_interrupts(journal, surface, report);
}

std::vector<unsigned> interrupts_there(const Surface& surface) {
  std::vector<unsigned> interrupts;
  for (const std::string& name : surface.view().list("/proc/irq")) {
    unsigned number = 0;
    const auto end = std::from_chars(name.data(), name.data() + name.size(), number);
    if (end.ec == std::errc() && end.ptr == name.data() + name.size()) interrupts.push_back(number);
  }
  std::sort(interrupts.begin(), interrupts.end());
  return interrupts;
}

}  // namespace maxlat::shield
