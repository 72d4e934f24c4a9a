// SPDX-License-Identifier: MIT
#include "machine_change.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace maxlat::reports {
namespace {

constexpr size_t kNear = 5;           // a change point is no surer of its place
constexpr size_t kRestlessEvery = 5;  // of the pairs of runs
constexpr size_t kPairsToJudge = 10;  // of fewer a restless group cannot be told

using Group = std::shared_ptr<const core::FingerprintGroup>;

Group group_of(const SeriesRun& run, const std::string& name) {
  for (const Group& group : run.machine)
    if (group->name == name) return group;
  return nullptr;
}

bool tells_machine(const SeriesRun& run) {
  return std::any_of(run.machine.begin(), run.machine.end(),
                     [](const Group& group) { return group->name == "kernel" || group->name == "cpu"; });
}

// What one of two results does not tell of its machine is no difference.
bool is_told_by_all(const std::string& group) {
  return group == "measured by" || group == "notes";
}

std::set<std::string> groups_that_differ(const SeriesRun& before, const SeriesRun& after) {
  std::set<std::string> names;
  const bool machines = tells_machine(before) && tells_machine(after);
  for (const SeriesRun* run : {&before, &after})
    for (const Group& group : run->machine) {
      const Group one = group_of(before, group->name), other = group_of(after, group->name);
      if (one != other && (machines || is_told_by_all(group->name))) names.insert(group->name);
    }
  return names;
}

std::set<std::string> restless_groups(const TrendLine& line) {
  std::map<std::string, size_t> changes;
  const size_t pairs = line.runs.size() - 1;
  for (size_t i = 1; i < line.runs.size(); ++i)
    for (const std::string& name : groups_that_differ(*line.runs[i - 1], *line.runs[i])) ++changes[name];
  std::set<std::string> restless;
  for (const auto& [name, count] : changes)
    if (pairs >= kPairsToJudge && count * kRestlessEvery >= pairs) restless.insert(name);
  return restless;
}

std::vector<core::FingerprintGroup> only(const SeriesRun& run, const std::set<std::string>& names) {
  std::vector<core::FingerprintGroup> groups;
  for (const Group& group : run.machine)
    if (names.contains(group->name)) groups.push_back(*group);
  return groups;
}

std::optional<MachineChange> change_at(const TrendLine& line, size_t at, const std::set<std::string>& restless) {
  if (at == 0 || at >= line.runs.size()) return std::nullopt;
  const SeriesRun &before = *line.runs[at - 1], &after = *line.runs[at];
  MachineChange change{.at = at, .differences = {}, .restless = {}};
  std::set<std::string> names;
  for (const std::string& name : groups_that_differ(before, after))
    if (restless.contains(name))
      change.restless.push_back(name);
    else
      names.insert(name);
  change.differences = core::machine_differences(only(after, names), only(before, names));
  if (change.differences.empty()) return std::nullopt;
  return change;
}

}  // namespace

void look_for_machine_changes(TrendLine& line) {
  if (line.changes.empty()) return;
  const std::set<std::string> restless = restless_groups(line);
  for (TrendChange& change : line.changes) {
    const size_t at = change.at;
    change.machine_known = tells_machine(*line.runs[at - 1]) && tells_machine(*line.runs[at]);
    for (size_t distance = 0; distance <= kNear && !change.machine; ++distance)
      for (const size_t place : {at - std::min(at, distance), at + distance})
        if (!change.machine) change.machine = change_at(line, place, restless);
  }
}

}  // namespace maxlat::reports
