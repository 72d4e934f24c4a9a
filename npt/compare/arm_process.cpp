// SPDX-License-Identifier: MIT
#include "arm_process.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <maxlat/core/machine/cpu_activity.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <optional>

namespace maxlat::npt {
namespace {

constexpr const char* kProgram = "maxlat npt";
constexpr auto kTimeToWrite = std::chrono::seconds(30);
constexpr auto kLookForStopEvery = std::chrono::milliseconds(250);
constexpr size_t kLargestResult = 256u << 20;

bool stopping() {
  return core::stop_requested().load(std::memory_order_relaxed);
}

// Four wakeups a second, on another CPU, are all that we do while it measures.
core::ProcessEnd wait_for_end(core::Child& child) {
  while (!stopping()) {
    if (std::optional<core::ProcessEnd> end = child.wait_for(kLookForStopEvery)) return *end;
  }
  child.signal(SIGINT);
  if (std::optional<core::ProcessEnd> end = child.wait_for(kTimeToWrite)) return *end;
  return child.stop();
}

core::Phase without_result(const core::Error& error) {
  core::Phase phase;
  phase.kind = core::kTracerKind.name;
  phase.status = error.exit_status == core::Exit::cannot_run ? core::PhaseStatus::skipped : core::PhaseStatus::failed;
  const std::string prefix = std::string(kProgram) + ": ";
  const std::string text = error.text.starts_with(prefix) ? error.text.substr(prefix.size()) : error.text;
  phase.reason = error.hint.empty() ? text : text + " (" + error.hint + ")";
  return phase;
}

std::vector<core::Phase> phases_of(const core::ProcessEnd& end) {
  const bool measured =
      end.exit_status == static_cast<int>(core::Exit::pass) || end.exit_status == static_cast<int>(core::Exit::invalid);
  if (!measured) return {without_result(core::error_of_child(kProgram, end))};
  core::Result<core::RunResult> run = core::from_json(end.standard_output);
  // Exit 3 without a result is a refusal, and its reason is on standard error.
  if (!run) return {without_result(end.succeeded() ? run.error() : core::error_of_child(kProgram, end))};
  const bool of_one_cpu = std::all_of(run->phases.begin(), run->phases.end(),
                                      [](const core::Phase& phase) { return phase.per_cpu.size() == 1; });
  if (run->phases.empty() || !of_one_cpu)
    return {without_result(end.succeeded() ? core::Error{"its result has no phase of one CPU"}
                                           : core::error_of_child(kProgram, end))};
  return std::move(run->phases);
}

}  // namespace

std::vector<core::Phase> phases_of_arm(const ArmProcess& process, const std::string& arm, const core::Arguments& more) {
  core::ProcessSpec spec;
  spec.argv = {process.executable, "npt", "--arm", arm, "-a", std::to_string(process.cpu), "-q", "--json", "-"};
  spec.argv.insert(spec.argv.end(), process.options.begin(), process.options.end());
  spec.argv.insert(spec.argv.end(), more.begin(), more.end());
  spec.cpus = process.usable;
  spec.standard_output = core::ProcessSpec::Output::capture;
  spec.capture_limit = kLargestResult;
  const std::vector<core::CpuActivity> before = core::activity_of({});
  core::Result<core::Child> child = core::Child::start(spec);
  std::vector<core::Phase> phases =
      child ? phases_of(wait_for_end(*child)) : std::vector{without_result(child.error())};
  const auto activity = core::of_cpus(core::between(before, core::activity_of({})), {process.cpu});
  for (core::Phase& phase : phases) {
    phase.kind = core::kTracerKind.name;
    phase.arm = arm;
    if (phase.status == core::PhaseStatus::ok || phase.status == core::PhaseStatus::invalid) phase.activity = activity;
    if (stopping() && phase.status == core::PhaseStatus::failed) phase.status = core::PhaseStatus::interrupted;
  }
  return phases;
}

core::Phase run_arm(const ArmProcess& process, const std::string& arm, const core::Arguments& more) {
  core::Phase whole = std::move(phases_of_arm(process, arm, more).front());
  whole.gaps.clear();  // of a comparison
  return whole;
}

}  // namespace maxlat::npt
