// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <maxlat/shield/held_shield.hpp>
#include <utility>

#include "audit/audit.hpp"
#include "audit/audit_text.hpp"
#include "journal/lock.hpp"
#include "steps/shield.hpp"

namespace maxlat::shield {

core::Result<ShieldPlan> held_plan(ShieldPlan asked) {
  const core::Result<core::CpuList> online = core::online_cpus();
  if (!online) return online.error();
  asked.held = true;
  core::Result<ShieldPlan> plan = complete_plan(std::move(asked), *online);
  if (!plan) return plan;
  if (const core::Status root = require_root(); !root) return root.error();
  return plan;
}

core::Result<HeldShield> HeldShield::put_on(ShieldPlan asked) {
  core::Result<ShieldPlan> plan = held_plan(std::move(asked));
  if (!plan) return plan.error();
  auto surface = std::make_unique<Surface>(view_of(*plan));
  core::Result<Lock> holder = Lock::hold(surface->view().root);
  if (!holder) return holder.error();
  core::Result<ShieldReport> report = shield_on(*plan, *surface);
  if (!report) return report.error();
  plan->housekeeping = report->housekeeping;
  return HeldShield(*std::move(plan), *std::move(report), std::move(surface),
                    std::make_unique<Lock>(*std::move(holder)));
}

HeldShield::HeldShield(ShieldPlan plan, ShieldReport report, std::unique_ptr<Surface> surface,
                       std::unique_ptr<Lock> holder)
    : plan_(std::move(plan)), report_(std::move(report)), surface_(std::move(surface)), holder_(std::move(holder)) {}

HeldShield::HeldShield(HeldShield&&) noexcept = default;

HeldShield::~HeldShield() {
  if (surface_ != nullptr) static_cast<void>(take_off());
}

core::Result<UndoReport> HeldShield::take_off() {
  const std::unique_ptr<Surface> surface = std::move(surface_);
  if (surface == nullptr || stays_on()) return UndoReport{};
  return shield_off_held(plan_.journal, *surface);
}

// What cannot be undone here put_on() finds, and tells.
void take_off_what_the_dead_hold(const std::string& path, Surface& surface) {
  const auto journal = read_journal(path);
  if (!journal || !*journal || !(*journal)->header.held || is_stale(**journal, surface)) return;
  if (const core::Result<Lock> no_other = Lock::hold(surface.view().root); no_other)
    static_cast<void>(shield_off_held(path, surface));
}

void take_off_what_the_dead_hold() {
  const ShieldPlan plan;
  Surface surface(view_of(plan));
  if (require_root()) take_off_what_the_dead_hold(plan.journal, surface);
}

core::Result<core::Phase> audit_shield(const core::CpuList& cpus, double seconds) {
  const AuditPlan plan{.cpus = cpus, .duration_s = seconds};
  core::Result<core::Phase> phase = audit(plan, {});
  if (!phase) return phase;
  const std::vector<CpuVerdict> verdicts = verdicts_of(*phase, plan);
  for (size_t i = 0; i < verdicts.size(); ++i)
    if (verdicts[i].kind == CpuVerdict::Kind::disturbed)
      phase->warnings.push_back(
          fmt::format("CPU {} is disturbed {} times a second, {} of them by its timer{}{}", phase->activity[i].cpu,
                      rate_text(verdicts[i].per_s), rate_text(verdicts[i].timer_per_s),
                      verdicts[i].most.empty() ? "" : "; most of the others: ", verdicts[i].most));
  return phase;
}

}  // namespace maxlat::shield
