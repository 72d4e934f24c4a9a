// SPDX-License-Identifier: MIT
//
// A run on a machine of paper, in a folder of its own, and what it left there.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "meters/test_bench.hpp"
#include "orchestrator.hpp"
#include "plan/plan_toml.hpp"

namespace maxlat::rteval_ext::test {

inline constexpr const char* kThreePhases = R"(
name = "three"
[[phase]]
name = "first"
kind = "hwlat"
duration = "1s"
[[phase]]
name = "second"
kind = "npt"
duration = "1s"
[phase.limits]
max_ns = 6000
[[phase]]
name = "third"
kind = "npt"
duration = "1s"
)";

inline constexpr const char* kControl = R"(
name = "control"
[[phase]]
name = "control"
kind = "control"
meters = ["npt", "hwlat"]
)";

// Meters (Script::shell) that measure until they are stopped; the second says when it has begun, as a control wants it.
inline constexpr const char* kUntilStopped = "trap 'cp $RESULT $JSON; exit 0' INT; while :; do sleep 0.05; done";
inline constexpr const char* kUntilStoppedWhenReady =
    "trap 'cp $RESULT $JSON; exit 0' INT; touch $JSON.ready; while :; do sleep 0.05; done";

class Orchestrator : public testing::Test {
 protected:
  core::Result<Outcome> run(const char* plan_text, core::RunResult begun = {},
                            const std::vector<std::string>& skip = {}) {
    const core::Result<Plan> plan = parse_plan(plan_text, "plan");
    if (!plan) return plan.error();
    const bool fresh = begun.id.empty();
    if (fresh) {
      begun.id = "id";
      begun.tool = "test";
      begun.plan = plan->name;
      begun.plan_text = plan_text;
      begun.gate_text = gate_text_;
    }
    const core::Result<RunDirectory> directory =
        fresh ? RunDirectory::create(temporary_ / "run") : RunDirectory::open(temporary_ / "run");
    if (!directory) return directory.error();
    return orchestrate({*plan, std::move(begun), *directory, bench_, skip, quiet_});
  }
  core::RunResult on_disk() const {
    const core::Result<core::RunResult> run = core::read_run(temporary_ / "run/result.json");
    if (!run) ADD_FAILURE() << run.error().text;
    return run ? *run : core::RunResult{};
  }

  TemporaryFolder temporary_;
  Script script_;
  bool quiet_ = true;
  std::string gate_text_;
  Bench bench_ = fake_bench(temporary_, script_);
};

inline std::vector<std::string> names(const core::RunResult& run) {
  std::vector<std::string> all;
  for (const core::Phase& phase : run.phases) all.push_back(phase.name);
  return all;
}

inline const core::Phase& phase_named(const core::RunResult& run, std::string_view name) {
  for (const core::Phase& phase : run.phases) {
    if (phase.name == name) return phase;
  }
  ADD_FAILURE() << "no phase " << name;
  static const core::Phase none;
  return none;
}

}  // namespace maxlat::rteval_ext::test
