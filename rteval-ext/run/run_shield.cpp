// SPDX-License-Identifier: MIT
#include "run_shield.hpp"

#include <fmt/format.h>

#include <map>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <maxlat/shield/held_shield.hpp>
#include <utility>

#include "plan/steps.hpp"

namespace maxlat::rteval_ext {

namespace {

constexpr double kAudit_s = 3;

using Outcome = shield::StepReport::Outcome;

class RealShield : public RunShield {
 public:
  explicit RealShield(shield::HeldShield held) : held_(std::move(held)), began_(core::utc_text()) {}

  core::Phase told() const override {
    core::Phase phase;
    phase.name = kShieldStep;
    phase.kind = core::kPreflightKind.name;
    phase.status = core::PhaseStatus::ok;
    phase.started = began_;
    phase.facts["CPUs"] = core::to_string(held_.plan().cpus);
    phase.facts["housekeeping"] = core::to_string(held_.plan().housekeeping);
    phase.facts["put on by"] = held_.stays_on() ? "somebody before this run; it stays on" : "this run";
    std::string not_made;
    for (const shield::StepReport& step : held_.report().steps) {
      std::string& fact = phase.facts["step: " + step.step];
      fact += fmt::format("{}{}{}{}", fact.empty() ? "" : "; ", to_string(step.outcome), step.text.empty() ? "" : ": ",
                          step.text);
      if (step.outcome == Outcome::not_possible) not_made += (not_made.empty() ? "" : ", ") + step.step;
    }
    if (!not_made.empty()) phase.warnings.push_back("a weaker shield: not possible here: " + not_made);
    return phase;
  }

  core::Result<core::Phase> audit() const override {
    core::Result<core::Phase> phase = shield::audit_shield(held_.plan().cpus, kAudit_s);
    if (phase) phase->name = kShieldAuditStep;
    return phase;
  }

  TakenOff take_off() override {
    if (held_.stays_on()) return {"no, it was on before this run", {}};
    const core::Result<shield::UndoReport> undone = held_.take_off();
    if (!undone) return {"no", {"the shield is still on: " + undone.error().text}};
    return taken_off(*undone);
  }

 private:
  shield::HeldShield held_;
  std::string began_;
};

}  // namespace

TakenOff taken_off(const shield::UndoReport& undone) {
  TakenOff off{counts_text(undone), {}};
  for (const std::string& left : undone.left) off.left.push_back("left as it is: " + left);
  for (const std::string& failed : undone.failed)
    off.left.push_back("not undone: " + failed + "; maxlat shield off tries again");
  if (!undone.journal_stays.empty())
    off.left.push_back(fmt::format("{}; {}", stays_text(undone), shield::kWhenTheJournalStays));
  return off;
}

core::Result<shield::ShieldPlan> shield_of(const Plan& plan, const core::MachineCpus& machine) {
  if (const core::Status usable = require_usable(plan.housekeeping, machine, "housekeeping"); !usable)
    return usable.error();
  const core::Result<std::vector<Step>> steps = steps_of(plan, machine);
  if (!steps) return steps.error();
  core::CpuList cpus = watched_cpus(*steps);
  if (cpus.empty()) cpus = core::default_measured(machine);
  if (core::difference(machine.online, cpus).empty())
    return core::Error{
        fmt::format("no CPU is left for the rest of the system: the plan measures {}", core::to_string(cpus)),
        "-a names the CPUs to measure and to shield, all but one at most"};
  if (const core::CpuList both = core::intersection(cpus, plan.housekeeping); !both.empty())
    return core::Error{fmt::format("CPU {} cannot be measured and keep house", core::to_string(both)),
                       "-a names the CPUs to measure, --housekeeping others"};
  return shield::ShieldPlan{.cpus = std::move(cpus), .housekeeping = plan.housekeeping};
}

core::Result<std::unique_ptr<RunShield>> put_shield_on(const shield::ShieldPlan& asked) {
  core::Result<shield::HeldShield> held = shield::HeldShield::put_on(asked);
  if (!held) return held.error();
  return std::unique_ptr<RunShield>(std::make_unique<RealShield>(*std::move(held)));
}

core::Result<std::string> preview_shield(const shield::ShieldPlan& asked) {
  return shield::preview_of_shield(asked);
}

}  // namespace maxlat::rteval_ext
