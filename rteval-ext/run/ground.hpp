// SPDX-License-Identifier: MIT
//
// What a run stands on: the machine, and its shield.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <memory>
#include <optional>
#include <string>

#include "meters/bench.hpp"
#include "plan/plan.hpp"
#include "run_shield.hpp"

namespace maxlat::rteval_ext {

struct Ground {
  Bench bench;
  std::unique_ptr<RunShield> shield{};  // none: not asked for, or not possible
  std::optional<core::Phase> told{};    // step "shield", when one was asked for
  std::string not_shielded{};           // a line of what one would do, when none was
};

// Puts the shield on that the plan asks for. ERRORS: the plan cannot do without one, and there is none.
core::Result<Ground> prepare_ground(const Plan& plan, const Bench& bench);

}  // namespace maxlat::rteval_ext
