// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <maxlat/core/sys/cpuset_place.hpp>

#include "step.hpp"

namespace maxlat::shield {

bool Workshop::has_reported(std::string_view step) const {
  return std::any_of(reports_.begin(), reports_.end(), [&](const StepReport& report) { return report.step == step; });
}

bool Workshop::has_failed() const {
  return std::any_of(reports_.begin(), reports_.end(),
                     [](const StepReport& report) { return report.outcome == StepReport::Outcome::not_possible; });
}

core::Status Workshop::record(std::span<const Change> changes) {
  core::Status written = journal_.append(changes);
  if (written) changes_ += static_cast<size_t>(std::count_if(changes.begin(), changes.end(), changes_something));
  return written;
}

std::vector<std::string> Workshop::make(std::span<const Change> changes) {
  std::vector<std::string> refused;
  std::vector<Change> not_made;
  const std::vector<core::Status> made = apply(changes, surface_);
  for (size_t i = 0; i < changes.size(); ++i) {
    if (made[i]) continue;
    refused.push_back(made[i].error().text);
    not_made.push_back(changes[i]);
  }
  note_refused(std::move(not_made));
  return refused;
}

void Workshop::note_refused(std::vector<Change> changes) {
  if (changes.empty()) return;
  for (Change& change : changes) {
    // What was taken in part is a change; a group that is there is somebody else's.
    const bool is_none = change.kind == Change::Kind::folder || standing(change, surface_) == Standing::as_before;
    if (changes_something(change) && is_none) --changes_;
    change.kind = change.kind == Change::Kind::moved && is_none ? Change::Kind::returned : Change::Kind::refused;
  }
  // A line that is missing is a change that is thought to have been made, and found as it was before.
  static_cast<void>(journal_.append(changes));
}

std::string online_file(unsigned cpu) {
  return fmt::format("/sys/devices/system/cpu/cpu{}/online", cpu);
}

std::string why_no_cpu_may_go(const Surface& surface) {
  const auto place = core::cpuset_place(surface.view().root);
  if (!place || place->version == core::CpusetPlace::Version::two) return "";
  for (const std::string& name : surface.view().list(place->mount))
    if (!name.starts_with("maxlat-") && surface.view().read(place->mount + "/" + name + "/tasks"))
      return fmt::format("cgroup v1 takes a CPU that goes offline out of its groups for good, and there is {}/{}",
                         place->mount, name);
  return "";
}

bool lie_within(const core::CpuList& cpus, const core::CpuList& all) {
  return !cpus.empty() && core::difference(cpus, all).empty();
}

std::vector<Change> interrupts_of(const core::CpuList& cpus, const Surface& surface) {
  std::vector<Change> changes;
  for (const std::string& interrupt : surface.view().list("/proc/irq")) {
    const std::string path = "/proc/irq/" + interrupt + "/smp_affinity_list";
    const std::string mask = surface.view().read(path).value_or("");
    const auto may_use = core::parse_cpu_list(mask);
    if (may_use && lie_within(*may_use, cpus))
      changes.push_back(
          {.kind = Change::Kind::kept, .path = path, .before = mask, .wanted = mask, .name = core::to_string(cpus)});
  }
  return changes;
}

Change affinity_change(const core::Task& task, const core::CpuList& before, const core::CpuList& wanted) {
  Change change{.kind = Change::Kind::affinity, .started = task.started, .name = task.comm};
  change.before = core::to_string(before);
  change.wanted = core::to_string(wanted);
  std::from_chars(task.tid.data(), task.tid.data() + task.tid.size(), change.task);
  return change;
}

}  // namespace maxlat::shield
