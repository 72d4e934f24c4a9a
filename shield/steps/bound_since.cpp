// SPDX-License-Identifier: MIT
#include "bound_since.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "change/slices.hpp"
#include "step.hpp"

namespace maxlat::shield {
namespace {

using core::CpuList;
using Thread = std::pair<pid_t, uint64_t>;

// A thread has one of these without anybody's having asked for it.
std::vector<CpuList> masks_of_shield(const JournalContent& journal, const CpuList& online) {
  const JournalHeader& header = journal.header;
  const CpuList others = core::difference(online, header.cpus);
  std::vector<CpuList> masks{online, header.cpus, header.housekeeping, others,
                             core::difference(others, header.siblings)};
  for (const Change& change : journal.changes) {
    const std::string wanted =
        change.kind == Change::Kind::slices ? without_mark(slice_from_line(change.wanted).cpus) : change.wanted;
    const bool is_room =
        change.kind == Change::Kind::slices || (change.kind == Change::Kind::inside && change.path.ends_with("cpus"));
    if (const auto room = core::parse_cpu_list(wanted); is_room && room) masks.push_back(*room);
  }
  return masks;
}

std::map<Thread, const Change*> threads_of(const JournalContent& journal) {
  std::map<Thread, const Change*> threads;
  for (const Change& change : journal.changes)
    if (change.kind == Change::Kind::affinity) threads.try_emplace({change.task, change.started}, &change);
  return threads;
}

bool has_groups(const JournalContent& journal) {
  return std::any_of(journal.changes.begin(), journal.changes.end(),
                     [](const Change& change) { return change.kind == Change::Kind::folder; });
}

}  // namespace

std::vector<Change> bound_since(const JournalContent& journal, const Surface& surface, bool force) {
  std::vector<Change> bound;
  if (!has_groups(journal)) return bound;
  const CpuList online = surface.online();
  const std::vector<CpuList> masks = masks_of_shield(journal, online);
  const auto known = threads_of(journal);
  for (const core::Task& task : surface.tasks()) {
    const auto now = task.bound ? std::nullopt : core::cpus_of(surface.view(), task);
    if (!now || core::intersection(*now, online).empty()) continue;
    const auto is_now = [&](const CpuList& mask) { return same_online(*now, mask, online); };
    if (std::any_of(masks.begin(), masks.end(), is_now)) continue;
    Change change = affinity_change(task, *now, *now);
    const auto line = known.find({change.task, change.started});
    // As its line of the journal has it: that line gives it back what it had before.
    if (line != known.end() && (force || standing(*line->second, surface) != Standing::other)) continue;
    bound.push_back(std::move(change));
  }
  return bound;
}

void bind_again(const std::vector<Change>& bound, Surface& surface) {
  for (const Change& change : bound) {
    const Standing now = standing(change, surface);
    if (now != Standing::as_before && now != Standing::gone) static_cast<void>(undo(change, surface));
  }
}

}  // namespace maxlat::shield
