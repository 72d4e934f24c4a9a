// SPDX-License-Identifier: MIT
#include "ground.hpp"

#include <fmt/format.h>

#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <utility>

#include "phase_runner.hpp"

namespace maxlat::rteval_ext {

namespace {

std::string what_a_shield_would_do(const Plan& plan, const Bench& bench) {
  const core::Result<shield::ShieldPlan> asked = shield_of(plan, bench.cpus);
  const core::Result<std::string> would = asked ? bench.shield_would(*asked) : core::Result<std::string>(asked.error());
  if (!would) return "not shielded, and cannot be: " + would.error().text;
  return fmt::format("not shielded: for CPU {}, maxlat run --shield would {}", core::to_string(asked->cpus), *would);
}

}  // namespace

core::Result<Ground> prepare_ground(const Plan& plan, const Bench& bench) {
  Ground ground{bench};
  if (plan.shield == ShieldUse::none) {
    ground.not_shielded = what_a_shield_would_do(plan, bench);
    return ground;
  }
  const core::Result<shield::ShieldPlan> asked = shield_of(plan, ground.bench.cpus);
  core::Result<std::unique_ptr<RunShield>> on =
      asked ? ground.bench.shield(*asked) : core::Result<std::unique_ptr<RunShield>>(asked.error());
  if (on) {
    ground.shield = *std::move(on);
    ground.told = ground.shield->told();
    ground.bench.cpus.isolated = asked->cpus;
    return ground;
  }
  if (plan.shield == ShieldUse::required) return on.error();
  core::Phase phase = phase_without_result(on.error());
  phase.name = kShieldStep;
  phase.kind = core::kPreflightKind.name;
  phase.started = core::utc_text();
  ground.told = std::move(phase);
  return ground;
}

}  // namespace maxlat::rteval_ext
