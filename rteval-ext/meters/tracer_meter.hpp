// SPDX-License-Identifier: MIT
//
// The tracers' phase of a run: `maxlat npt --compare` as a child, like any other meter, except that it leaves more than
// one phase: one for each arm, and the comparisons between them.
//
// To the supervision (phase_runner.hpp) it is a meter with one phase, that of the base arm. What else the child left is
// put beside it by arms_of_step().
#pragma once

#include <maxlat/rteval_ext/meter.hpp>

namespace maxlat::rteval_ext {

extern const PhaseDefinition kTracerPhase;

class TracerMeter : public Meter {
 public:
  explicit TracerMeter(std::string executable) : executable_(std::move(executable)) {}

  PhaseKind kind() const override { return &kTracerPhase; }
  core::Result<core::ProcessSpec> command(const MeterJob& job) const override;
  core::Result<core::Phase> read(const MeterJob& job, const core::ProcessEnd& end) const override;

 private:
  std::string executable_;
};

// What a step of the plan left: one phase, or one for each arm and what they differ by.
struct StepResult {
  std::vector<core::Phase> phases;
  std::vector<core::Comparison> comparisons;
};

// `step` is the phase as it was supervised. When the child's file is whole, each of its arms is a phase "<step>: <arm>"
// of the comparison <step>, with the loads, warnings and CPUs of the step; otherwise the step's phase is all there is.
StepResult arms_of_step(core::Phase step, const std::string& json_path);

}  // namespace maxlat::rteval_ext
