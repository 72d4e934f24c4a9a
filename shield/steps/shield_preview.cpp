// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/shield/held_shield.hpp>
#include <utility>

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

core::Result<std::string> preview_of_shield(ShieldPlan asked) {
  const core::Result<core::CpuList> online = core::online_cpus();
  if (!online) return online.error();
  const core::Result<ShieldPlan> plan = complete_plan(std::move(asked), *online);
  if (!plan) return plan.error();
  if (const core::Status root = require_root(); !root) return root.error();
  const Surface surface(view_of(*plan));
  const core::Result<ShieldStatus> now = shield_status(plan->journal, surface);
  if (!now) return now.error();
  if (now->on && now->cpus != plan->cpus)
    return core::Error{fmt::format("a shield of CPU {} is on", core::to_string(now->cpus)), "maxlat shield off first"};
  if (now->on && !now->held) return std::string("use the shield that is on, and leave it on");
  return would_do(*plan, surface) + ", and undo all of it at the end";
}

}  // namespace maxlat::shield
