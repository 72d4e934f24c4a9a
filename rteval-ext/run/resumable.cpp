// SPDX-License-Identifier: MIT
#include "resumable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/version.hpp>
#include <string_view>

namespace maxlat::rteval_ext {

namespace {

const std::string* value_in(const core::FingerprintGroup& group, std::string_view name) {
  const auto found =
      std::find_if(group.values.begin(), group.values.end(), [&](const auto& value) { return value.first == name; });
  return found == group.values.end() ? nullptr : &found->second;
}

// Whether a value of "cpu" or "kernel" tells another machine. Modules taint a kernel while it runs and make no other of
// it, and the preemption model is in debugfs, which not everybody may read.
bool differs(const core::FingerprintGroup& then, const core::FingerprintGroup& now, const std::string& name) {
  const std::string* before = value_in(then, name);
  const std::string* after = value_in(now, name);
  if (name == "tainted" || (name == "preemption" && (before == nullptr || after == nullptr))) return false;
  return before == nullptr || after == nullptr || *before != *after;
}

}  // namespace

// "governor: was powersave, is performance". What a run was measured on must not change under it unseen.
std::vector<std::string> differences(const std::vector<core::SettingObservation>& before,
                                     const std::vector<core::SettingObservation>& after) {
  std::vector<std::string> changed;
  for (const core::SettingObservation& now : after) {
    const auto then = std::find_if(before.begin(), before.end(), [&](const auto& row) { return row.name == now.name; });
    // Readings that are meant to move (temperature, load) are for information and are no warning.
    if (then == before.end() || now.verdict == core::SettingObservation::Verdict::info) continue;
    if (then->observed != now.observed) {
      changed.push_back(
          fmt::format("{} changed during the run: it was {}, it is {}", now.name, then->observed, now.observed));
    }
  }
  return changed;
}

// Figures of two machines or two kernels are not one run.
core::Status require_same_machine(const std::vector<core::FingerprintGroup>& before,
                                  const std::vector<core::FingerprintGroup>& after) {
  std::string differences;
  for (const core::FingerprintGroup& then : before) {
    const auto now =
        std::find_if(after.begin(), after.end(), [&](const auto& group) { return group.name == then.name; });
    if (now == after.end() || (then.name != "cpu" && then.name != "kernel")) continue;
    std::vector<std::string> names;
    for (const auto* group : {&then, &*now})
      for (const auto& [name, shown] : group->values)
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    for (const std::string& name : names) {
      if (!differs(then, *now, name)) continue;
      const auto shown = [&](const core::FingerprintGroup& group) {
        const std::string* value = value_in(group, name);
        return value == nullptr ? "not there" : fmt::format("'{}'", *value);
      };
      // The first in full and the others by name: it is one line.
      differences += differences.empty()
                         ? fmt::format("{} {} was {} and is {}", then.name, name, shown(then), shown(*now))
                         : fmt::format(", {} {} differs", then.name, name);
    }
  }
  if (differences.empty()) return {};
  return core::Error{"the run began on another machine or kernel: " + differences,
                     "resume it where it began, or start a new run here: maxlat run -o DIR"};
}

// Nor are figures of two meters, and two builds of maxlat may be two.
core::Status require_same_build(const core::RunResult& run) {
  const std::string now = core::build_id();
  if (run.build.empty() || now.empty() || run.build == now) return {};
  return core::Error{fmt::format("the run began with another build of maxlat: {}, this is {}", run.build, now),
                     "resume it with that build, or start a new run here: maxlat run -o DIR"};
}

}  // namespace maxlat::rteval_ext
