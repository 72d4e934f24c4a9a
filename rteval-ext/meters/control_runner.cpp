// SPDX-License-Identifier: MIT
#include "control_runner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <optional>

#include "run/phase_runner.hpp"
#include "run/phase_watch.hpp"

namespace maxlat::rteval_ext {

namespace {

using Clock = std::chrono::steady_clock;

// The meter is stopped when the stalls are planted; this only bounds one that lost its parent's signal.
constexpr uint64_t kLongest_ns = 600'000'000'000;
constexpr auto kTimeToBegin = std::chrono::seconds(30);
constexpr auto kLook = std::chrono::milliseconds(100);

core::Error ended_too_soon(const Meter& meter, const MeterJob& job, const core::ProcessEnd& end) {
  if (const core::Result<core::Phase> read = meter.read(job, end); !read) return read.error();
  return core::Error{fmt::format("{} {} before the stalls were planted", to_string(meter.kind()), end.text())};
}

core::Status wait_until_measuring(core::Child& child, const MeterJob& job, Meter& meter, RunProgress& progress) {
  const Clock::time_point start = Clock::now();
  while (!meter.measuring(child, job)) {
    if (const std::optional<core::ProcessEnd> end = child.wait_for(kLook)) return ended_too_soon(meter, job, *end);
    if (core::stop_requested().load(std::memory_order_relaxed)) return core::Error{"stopped"};
    if (Clock::now() - start > kTimeToBegin) {
      return core::Error{
          fmt::format("{} did not begin to measure within {} s", to_string(meter.kind()), kTimeToBegin.count())};
    }
    progress.show(core::seconds_since(start));
  }
  return {};
}

// Starts the meter, plants `plan` under it, stops it and reads what it measured.
core::Result<core::Phase> measure_stalls(const loadgen::StallPlan& plan, const MeterJob& job, Meter& meter,
                                         const Bench& bench, RunProgress& progress,
                                         std::vector<loadgen::Stall>& stalls) {
  const core::Result<core::ProcessSpec> spec = meter.command(job);
  if (!spec) return spec.error();
  core::Result<core::Child> child = core::Child::start(*spec);
  if (!child) return child.error();
  if (const core::Status under_way = wait_until_measuring(*child, job, meter, progress); !under_way)
    return under_way.error();

  core::Result<std::vector<loadgen::Stall>> planted = bench.plant(plan);
  if (!planted) return planted.error();
  stalls = std::move(*planted);

  child->signal(SIGINT);
  std::optional<core::ProcessEnd> end = child->wait_for(kTimeToWrite);
  return meter.read(job, end ? *end : child->stop());
}

// The counts, and of those not found an example, rather one that was missed than one off size.
std::string what_was_not_found(const core::ControlResult& control) {
  if (control.stalls.empty()) return "no stall was planted";
  const auto worst = std::max_element(control.stalls.begin(), control.stalls.end(), [](const auto& a, const auto& b) {
    return core::outcome_of(a) < core::outcome_of(b);
  });
  std::string text =
      fmt::format("{}: for example {} on CPU {}", core::to_string(core::counts_of(control.stalls), " planted stalls"),
                  core::latency_text(worst->actual_ns), worst->cpu);
  if (core::outcome_of(*worst) == core::StallOutcome::missed) return text + " was missed";
  return text + fmt::format(" was seen as {}, with a stated error of {}", core::latency_text(worst->found_ns),
                            core::latency_text(control.stated_error_ns));
}

}  // namespace

extern const PhaseDefinition kControlPhase{.figures = &core::kControlKind, .shape = PhaseDefinition::Shape::control};

core::CpuList control_cpus(const core::CpuList& measured) {
  if (measured.size() <= kMostControlCpus) return measured;
  core::CpuList spread;
  for (size_t i = 0; i < kMostControlCpus; ++i) spread.push_back(measured[i * measured.size() / kMostControlCpus]);
  return spread;
}

core::Phase run_control(const PhasePlan& plan, const Placement& placement, Meter& meter, const Bench& bench,
                        const std::string& json_path, uint64_t seed, RunProgress& progress) {
  const MeterJob job{.cpus = placement.measured,
                     .duration_ns = kLongest_ns,
                     .control = true,
                     .everywhere = false,
                     .json_path = json_path,
                     .arguments = {}};
  const std::string started = core::utc_text();
  const Clock::time_point start = Clock::now();
  loadgen::StallPlan stall_plan;
  stall_plan.cpus = control_cpus(placement.measured);
  stall_plan.lengths_ns = plan.stalls.lengths_ns;
  stall_plan.repeats = plan.stalls.repeats;
  stall_plan.seed = seed;
  std::vector<loadgen::Stall> stalls;
  PhaseWatch machine;
  const core::Result<core::Phase> measured = measure_stalls(stall_plan, job, meter, bench, progress, stalls);

  core::Phase phase = measured ? core::Phase{} : phase_without_result(measured.error());
  phase.control = core::ControlResult{};
  if (measured) phase.control = meter.match(stalls, *measured, bench.stated_error_ns);
  phase.control->meter = to_string(meter.kind());
  phase.control->stated_error_ns = bench.stated_error_ns;
  if (measured) {
    const bool passed = core::passed(*phase.control);
    phase.status = passed ? core::PhaseStatus::ok : core::PhaseStatus::invalid;
    if (!passed) phase.reason = what_was_not_found(*phase.control);
    if (const auto back_end = measured->facts.find(core::fact::kBackEnd); back_end != measured->facts.end()) {
      phase.facts[core::fact::kBackEnd] = back_end->second;
    }
  } else if (core::stop_requested().load(std::memory_order_relaxed)) {
    phase.status = core::PhaseStatus::interrupted;
  }
  phase.kind = to_string(&kControlPhase);
  phase.started = started;
  phase.duration_s = core::seconds_since(start);
  phase.facts["CPUs"] = core::to_string(control_cpus(placement.measured));
  phase.facts["stated error"] = bench.stated_error_why;
  phase.warnings = placement.warnings;
  machine.tell(stall_plan.cpus, phase);
  if (const core::Result<core::ProcessSpec> spec = meter.command(job)) phase.command = core::quote_command(spec->argv);
  return phase;
}

}  // namespace maxlat::rteval_ext
