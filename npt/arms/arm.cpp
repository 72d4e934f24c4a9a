// SPDX-License-Identifier: MIT
#include "arm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "arms.hpp"

namespace maxlat::npt {

core::Result<std::unique_ptr<Arm>> make_arm(const ArmSpec& spec) {
  constexpr std::pair<std::string_view, std::unique_ptr<Arm> (*)()> kArms[] = {
      {"delay", make_delay_arm},
      {"ftrace-marker", make_ftrace_marker_arm},
      {"locked-printf", make_locked_printf_arm},
      {"lttng-ust", make_lttng_ust_arm},
      {"maxlat", make_maxlat_arm},
      {"spdlog-async", make_plugin_arm},
      {"systemtap", make_systemtap_arm},
      {"uprobe", make_uprobe_arm},
      {"usdt", make_plugin_arm}};
  for (const auto& [name, make] : kArms)
    if (name == spec.name) return make();
  if (spec.name == "lttng-modules")
    return core::Error{
        "LTTng's kernel modules do not build: 2.13.9 against Linux 6.1.192, lttng-probe-timer: conflicting types for "
        "'trace_hrtimer_start'",
        "docs/exact-comparison.md has more of it", core::Exit::cannot_run};
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
