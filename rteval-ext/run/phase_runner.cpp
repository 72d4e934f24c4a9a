// SPDX-License-Identifier: MIT
#include "phase_runner.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <maxlat/attribution/outlier_accounting.hpp>
#include <maxlat/core/result/phase_start.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <maxlat/loadgen/load_set.hpp>
#include <optional>

#include "phase_watch.hpp"

namespace maxlat::rteval_ext {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kGraceShare = 0.02;  // of a long phase's duration
// A per cent for the difference of two clocks.
constexpr double kMostExposureShare = 1.01;

// What ended the watch before the meter ended by itself.
struct Ending {
  core::PhaseStatus status = core::PhaseStatus::ok;  // ok: nothing but the meter's own end
  std::string reason{};
  std::optional<Clock::time_point> loads_stopped{};  // before the meter ended, because it did not
};

// SIGINT is a normal end to every meter: it writes what it has.
core::ProcessEnd end_early(core::Child& child) {
  child.signal(SIGINT);
  if (std::optional<core::ProcessEnd> end = child.wait_for(kTimeToWrite)) return *end;
  return child.stop();
}

std::string dead_load(const std::vector<core::LoadResult>& loads) {
  for (const core::LoadResult& load : loads) {
    if (!load.alive) return fmt::format("load '{}' died: {}", load.name, load.reason);
  }
  return {};
}

core::ProcessEnd watch(core::Child& child, const MeterJob& job, Meter& meter, loadgen::LoadSet* loads,
                       std::chrono::seconds grace, RunProgress& progress, Ending& ending) {
  const double duration_s = static_cast<double>(job.duration_ns) * 1e-9;
  const double grace_s = std::max(std::chrono::duration<double>(grace).count(), duration_s * kGraceShare);
  double limit_s = duration_s + grace_s;
  const Clock::time_point start = Clock::now();
  for (Clock::time_point tick = start + std::chrono::seconds(1);; tick += std::chrono::seconds(1)) {
    if (std::optional<core::ProcessEnd> end = core::wait_for_end_or_stop(child, tick)) return *end;
    if (core::stop_requested().load(std::memory_order_relaxed)) {
      ending.status = core::PhaseStatus::interrupted;
      ending.reason = fmt::format("stopped after {}", core::duration_text(core::seconds_since(start)));
      return end_early(child);
    }
    const double elapsed_s = core::seconds_since(start);
    if (loads != nullptr) loads->sample();
    if (loads != nullptr && !loads->all_alive()) {
      ending.status = core::PhaseStatus::invalid;
      ending.reason = fmt::format("a load died after {}", core::duration_text(elapsed_s));
      return end_early(child);
    }
    if (elapsed_s > limit_s && loads != nullptr) {
      // It may be they who keep it from a CPU: its own threads beside the measuring ones have no priority.
      ending.loads_stopped = Clock::now();
      loads->stop();
      loads = nullptr;
      limit_s = elapsed_s + grace_s;
    }
    if (elapsed_s > limit_s) {
      ending.status = core::PhaseStatus::failed;
      ending.reason = fmt::format("the meter was still running {} after its time and was killed",
                                  core::duration_text(elapsed_s - duration_s));
      return child.stop();
    }
    meter.every_second(child, job, elapsed_s);
    progress.show(elapsed_s);
  }
}

// No CPU can be watched for longer than the time that passed: such figures mean something else than the meter says.
void require_possible_exposure(core::Phase& phase) {
  for (const core::CpuResult& cpu : phase.per_cpu) {
    if (phase.status != core::PhaseStatus::ok || cpu.exposure_s <= phase.duration_s * kMostExposureShare) continue;
    phase.status = core::PhaseStatus::invalid;
    phase.reason = fmt::format("CPU {} is said to have been watched for {} of {}", cpu.cpu,
                               core::duration_text(cpu.exposure_s), core::duration_text(phase.duration_s));
  }
}

// A meter that ended behind its loads may only have had no CPU to write its result on. It has to tell that it had
// measured all before: what was measured without a load is nothing under load.
// REQUIRES: the phase as the meter gave it. When others began to watch says nothing of the meter.
void judge_end_behind_loads(Clock::time_point loads_stopped, core::Phase& phase) {
  const std::optional<std::uint64_t> began_ns = core::start_monotonic_ns(phase);
  const std::chrono::nanoseconds stopped = loads_stopped.time_since_epoch();
  if (began_ns && phase.duration_s > 0 && static_cast<double>(*began_ns) + phase.duration_s * 1e9 <= static_cast<double>(stopped.count())) {
    phase.warnings.emplace_back("the loads were stopped to let the meter end; it had measured all before");
  } else if (phase.status == core::PhaseStatus::ok) {
    phase.status = core::PhaseStatus::invalid;
    phase.reason = "the loads were stopped to let the meter end, and it may have measured on without them";
  }
}

// The stronger of what the meter says of its phase and what ended the watch.
void apply(const Ending& ending, core::Phase& phase) {
  if (ending.status == core::PhaseStatus::ok) return;
  // Nothing whole was left: that is what a reader must know, and why it was stopped besides.
  if (phase.status == core::PhaseStatus::failed && !phase.reason.empty()) {
    phase.reason = fmt::format("{} ({})", ending.reason, phase.reason);
  } else if (phase.status == core::PhaseStatus::invalid && ending.status == core::PhaseStatus::interrupted) {
    phase.reason = fmt::format("{}; {}", phase.reason, ending.reason);
    return;
  } else {
    phase.reason = ending.reason;
  }
  phase.status = ending.status;
}

// Nothing: the meter watches for itself, or nobody can.
std::optional<attribution::KernelWatching> watch_program(const Meter& meter, const MeterJob& job) {
  const auto threads = meter.watched_threads();
  if (!threads) return {};
  if (!job.kernel_events) return attribution::KernelWatching{nullptr, "left out"};
  return attribution::watch_program(job.cpus, *threads);
}

// REQUIRES: the meter has ended.
void tell_of_program(const attribution::KernelWatching& kernel, core::Phase& phase) {
  attribution::tell_of(kernel, phase);
  if (kernel.watch && !phase.per_cpu.empty()) attribution::enter_wakeups(kernel.watch->finish(), phase);
}

}  // namespace

core::Phase phase_without_result(const core::Error& error) {
  core::Phase phase;
  phase.status = error.exit_status == core::Exit::cannot_run ? core::PhaseStatus::skipped : core::PhaseStatus::failed;
  phase.reason = error.hint.empty() ? error.text : fmt::format("{} ({})", error.text, error.hint);
  return phase;
}

MeterJob job_of(const PhasePlan& plan, const Placement& placement, const std::string& json_path, std::uint64_t seed,
                bool kernel_events) {
  return {.cpus = placement.measured,
          .duration_ns = static_cast<uint64_t>(expected_seconds(plan, placement.measured.size()) * 1e9),
          .control = false,
          .everywhere = placement.everywhere,
          .json_path = json_path,
          .arguments = plan.arguments,
          .kernel_events = kernel_events,
          .arms = plan.arms,
          .rounds = plan.rounds,
          .round_ns = plan.duration_ns,
          .seed = seed};
}

core::Phase run_phase(const PhasePlan& plan, const Placement& placement, Meter& meter, const MeterJob& job,
                      std::chrono::seconds grace, RunProgress& progress) {
  const std::string started = core::utc_text();
  const Clock::time_point start = Clock::now();

  const core::Result<core::ProcessSpec> spec = meter.command(job);
  core::Phase phase;
  std::vector<core::LoadResult> load_results;
  const auto measure = [&]() -> core::Phase {
    if (!spec) return phase_without_result(spec.error());
    std::optional<loadgen::LoadSet> loads;
    if (!plan.loads.empty()) {
      core::Result<loadgen::LoadSet> started_loads = loadgen::LoadSet::start(plan.loads, placement.loads);
      if (!started_loads) return phase_without_result(started_loads.error());
      loads.emplace(std::move(*started_loads));
    }
    const std::optional<attribution::KernelWatching> kernel = watch_program(meter, job);
    core::Result<core::Child> child = core::Child::start(*spec);
    if (!child) return phase_without_result(child.error());
    Ending ending;
    const core::ProcessEnd end = watch(*child, job, meter, loads ? &*loads : nullptr, grace, progress, ending);
    if (loads) load_results = loads->stop();
    if (const std::string dead = dead_load(load_results); !dead.empty()) {
      ending.status = core::PhaseStatus::invalid;
      ending.reason = dead;
    }
    const core::Result<core::Phase> read = meter.read(job, end);
    core::Phase result = read ? *read : phase_without_result(read.error());
    if (ending.loads_stopped) judge_end_behind_loads(*ending.loads_stopped, result);
    if (kernel) tell_of_program(*kernel, result);
    apply(ending, result);
    return result;
  };
  PhaseWatch machine;
  phase = measure();
  machine.tell(placement.measured, phase);
  phase.name = plan.name;
  phase.kind = to_string(plan.kind);
  if (phase.arm.empty()) phase.arm = plan.kind->arm;
  if (spec) phase.command = core::quote_command(spec->argv);
  phase.started = started;
  phase.duration_s = core::seconds_since(start);
  require_possible_exposure(phase);
  phase.load = std::move(load_results);
  phase.warnings.insert(phase.warnings.end(), placement.warnings.begin(), placement.warnings.end());
  phase.facts["CPUs"] = core::to_string(placement.measured);
  if (!plan.loads.empty()) phase.facts["load CPUs"] = core::to_string(placement.loads);
  return phase;
}

}  // namespace maxlat::rteval_ext
