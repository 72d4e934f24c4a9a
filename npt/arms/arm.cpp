// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <maxlat/npt/arm.hpp>
#include <maxlat/npt/arm_definition.hpp>

namespace maxlat::npt {

core::Result<std::unique_ptr<Arm>> make_arm(const ArmSpec& spec) {
  const ArmDefinition* arm = find_arm(spec.name);
  if (arm != nullptr && arm->make != nullptr) return arm->make();
  if (arm != nullptr && !arm->cannot_run.empty())
    return core::Error{std::string(arm->cannot_run), std::string(arm->cannot_run_hint), core::Exit::cannot_run};
  return core::Error{fmt::format("the arm \"{}\" is not in this build", spec.name), {}, core::Exit::cannot_run};
}

void enter_books(const ArmBooks& books, uint64_t produced, core::Phase& phase) {
  phase.facts["events_produced"] = fmt::format("{}", produced);
  phase.facts["events_verified_by"] = books.verified_by;
  for (const auto& [name, value] : books.facts) phase.facts[name] = value;
  phase.warnings.insert(phase.warnings.end(), books.warnings.begin(), books.warnings.end());
  std::string reason = books.invalid;
  if (books.events) {
    core::EventCounts counts = *books.events;
    counts.produced = produced;
    phase.events = counts;
    const uint64_t lost = counts.lost_full + counts.lost_wrap + counts.lost_big;
    if (lost > 0)
      phase.warnings.push_back(fmt::format("{} of {} events were lost, each of them counted", lost, produced));
    if (reason.empty() && counts.recorded + lost != produced)
      reason = fmt::format("{} events were produced, but {} recorded and {} counted as lost", produced, counts.recorded,
                           lost);
  }
  if (reason.empty()) return;
  phase.status = core::PhaseStatus::invalid;
  phase.reason = phase.reason.empty() ? reason : reason + "; " + phase.reason;
}

}  // namespace maxlat::npt
