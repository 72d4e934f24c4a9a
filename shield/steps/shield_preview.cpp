// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/shield/held_shield.hpp>
#include <utility>

#include "journal/journal.hpp"
#include "journal/lock.hpp"
#include "shield.hpp"
#include "step.hpp"

namespace maxlat::shield {

std::string would_do(const ShieldPlan& plan, const Surface& surface) {
  std::string text;
  for (const Step* step : step_rows())
    if (const std::string words = step->would != nullptr ? step->would(plan, surface) : ""; !words.empty())
      text += (text.empty() ? "" : ", ") + words;
  return text;
}

core::Result<std::string> steps_of_shield(const core::MachineView& machine) {
  core::Result<ShieldPlan> plan = complete_plan({.cpus = machine.measured()}, Surface(machine).online());
  if (!plan) return plan.error();
  core::MachineView of_plan = machine;
  of_plan.other_cpus = plan->housekeeping;
  return would_do(*plan, Surface(std::move(of_plan)));
}

core::Result<std::string> preview_of_shield(ShieldPlan asked) {
  const core::Result<ShieldPlan> plan = held_plan(std::move(asked));
  if (!plan) return plan.error();
  return preview_on(*plan, Surface(view_of(*plan)));
}

core::Result<std::string> preview_on(const ShieldPlan& plan, const Surface& surface) {
  if (const auto holder = Lock::holder(surface.view().root)) return Lock::held_by(*holder);
  const auto journal = read_journal(plan.journal);
  if (!journal) return journal.error();
  if (!*journal || is_stale(**journal, surface)) {
    if (const core::Status none = no_other_is_on(plan, surface); !none) return none.error();
    return would_do(plan, surface) + ", and undo all of it at the end";
  }
  if (const core::Status may = may_use(**journal, plan, surface); !may) return may.error();
  if (!(*journal)->header.held) return std::string("use the shield that is on, and leave it on");
  return std::string("use the shield whose holder has died, and undo all of it at the end");
}

}  // namespace maxlat::shield
