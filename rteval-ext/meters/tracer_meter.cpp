// SPDX-License-Identifier: MIT
#include "tracer_meter.hpp"

#include <fmt/format.h>

#include <maxlat/core/sys/process.hpp>

namespace maxlat::rteval_ext {

namespace {

constexpr const char* kProgram = "maxlat npt";

bool wrote_a_result(const core::ProcessEnd& end) {
  return end.exit_status == static_cast<int>(core::Exit::pass) ||
         end.exit_status == static_cast<int>(core::Exit::error) ||
         end.exit_status == static_cast<int>(core::Exit::invalid) ||
         end.exit_status == static_cast<int>(core::Exit::cannot_run);
}

}  // namespace

extern const PhaseDefinition kTracerPhase{
    .figures = &core::kTracerKind, .shape = PhaseDefinition::Shape::comparison, .make = [] {
      return std::unique_ptr<Meter>(std::make_unique<TracerMeter>(core::own_executable()));
    }};

core::Result<core::ProcessSpec> TracerMeter::command(const MeterJob& job) const {
  core::ProcessSpec spec;
  spec.argv = {executable_,  "npt",
               "--compare",  fmt::format("{}", fmt::join(job.arms, ",")),
               "--rounds",   std::to_string(job.rounds),
               "--seed",     std::to_string(job.seed),
               "-a",         core::to_string(job.cpus),
               "-D",         fmt::format("{}ns", job.round_ns),
               "-p",         std::to_string(kMeterPriority),
               "-i",  // what interrupts cost is in the base, too
               "-q",         "--json",
               job.json_path};
  spec.argv.insert(spec.argv.end(), job.arguments.begin(), job.arguments.end());
  return spec;
}

core::Result<core::Phase> TracerMeter::read(const MeterJob& job, const core::ProcessEnd& end) const {
  if (!wrote_a_result(end)) return core::error_of_child(kProgram, end);
  core::Result<core::RunResult> run = core::read_run(job.json_path);
  if (!run) return core::error_of_child(kProgram, end);
  if (run->phases.empty()) return core::Error{fmt::format("no phase in '{}'", job.json_path)};
  // How the step went is how its base went; the arms themselves are read by arms_of_step().
  core::Phase step;
  step.status = run->phases.front().status;
  step.reason = run->phases.front().reason;
  return step;
}

StepResult arms_of_step(core::Phase step, const std::string& json_path) {
  core::Result<core::RunResult> run = core::read_run(json_path);
  if (!run) return {{std::move(step)}, {}};
  StepResult result;
  for (core::Phase& arm : run->phases) {
    arm.name = fmt::format("{}: {}{}", step.name, arm.arm, arm.gaps.empty() ? "" : " (" + arm.gaps + ")");
    arm.kind = step.kind;
    arm.comparison = step.name;
    arm.command = step.command;
    arm.load = step.load;
    arm.kernel_messages = step.kernel_messages;
    arm.facts.insert(step.facts.begin(), step.facts.end());
    arm.warnings.insert(arm.warnings.end(), step.warnings.begin(), step.warnings.end());
    // What spoiled the step (a load that died) spoiled every arm.
    if (arm.status == core::PhaseStatus::ok && step.status != core::PhaseStatus::ok &&
        step.status != core::PhaseStatus::skipped) {
      arm.status = step.status;
      arm.reason = step.reason;
    }
    result.phases.push_back(std::move(arm));
  }
  for (core::Comparison& comparison : run->comparisons) {
    comparison.name = step.name;
    result.comparisons.push_back(std::move(comparison));
  }
  return result;
}

}  // namespace maxlat::rteval_ext
