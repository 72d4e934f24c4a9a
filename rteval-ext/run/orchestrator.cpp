// SPDX-License-Identifier: MIT
#include "orchestrator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <maxlat/core/sys/version.hpp>
#include <maxlat/loadgen/load_set.hpp>
#include <maxlat/reports/gate.hpp>
#include <optional>

#include "asked_settings.hpp"
#include "gate_phases.hpp"
#include "ground.hpp"
#include "meter_words.hpp"
#include "meters/control_runner.hpp"
#include "meters/own_meter.hpp"
#include "meters/tracer_meter.hpp"
#include "phase_runner.hpp"
#include "plan/steps.hpp"
#include "resumable.hpp"
#include "run_progress.hpp"
#include "watching_cost.hpp"

namespace maxlat::rteval_ext {

namespace {

constexpr double kReportTakes_s = 5;

using core::PhaseStatus;

bool stopping() {
  return core::stop_requested().load(std::memory_order_relaxed);
}

bool is_kept(const StepResult& result) {
  return std::all_of(result.phases.begin(), result.phases.end(), [](const core::Phase& phase) {
    return phase.status == core::PhaseStatus::ok || phase.status == core::PhaseStatus::skipped;
  });
}

// An arm belongs to the step that its comparison is named after.
const std::string& step_of(const core::Phase& phase) {
  return phase.comparison.empty() ? phase.name : phase.comparison;
}

// A run under way: what is known, in the order of the plan, and where it goes.
class Run {
 public:
  Run(RunRequest request, reports::Gate gate, Ground ground, std::vector<Step> steps)
      : plan_(request.plan),
        gate_(std::move(gate)),
        run_(std::move(request.run)),
        directory_(request.directory),
        bench_(std::move(ground.bench)),
        shield_(std::move(ground.shield)),
        told_of_shield_(std::move(ground.told)),
        not_shielded_(std::move(ground.not_shielded)),
        skip_(std::move(request.skip)),
        steps_(std::move(steps)),
        earlier_(results_of(run_)),
        kept_(to_keep(earlier_)),
        progress_(request.quiet, expectations(steps_, kept_)) {
    run_.state = core::RunResult::State::running;
    run_.ended.clear();
    // What is read when the run was killed.
    run_.verdict = {};
    run_.verdict.kind = core::Verdict::Kind::invalid;
    run_.verdict.reasons = {"the run has not come to its end"};
  }

  core::Status skip();
  core::Status shield();
  core::Status preflight();
  core::Status audit();
  core::Status phases();
  core::Status look_again();
  core::Status unshield();
  core::Status finish();
  core::Error ended_early(core::Error why);
  core::Result<Outcome> report();

 private:
  using Results = std::map<std::string, StepResult>;  // by the step's name

  static Results results_of(const core::RunResult& run) {
    Results results;
    for (const core::Phase& phase : run.phases)
      if (phase.name != kPreflightAtTheEnd) results[step_of(phase)].phases.push_back(phase);
    for (const core::Comparison& comparison : run.comparisons)
      results[comparison.name].comparisons.push_back(comparison);
    return results;
  }
  static Results to_keep(Results results) {
    std::erase_if(results, [](const auto& entry) { return !is_kept(entry.second); });
    return results;
  }
  static std::vector<double> expectations(const std::vector<Step>& steps, const Results& kept) {
    std::vector<double> seconds;
    for (const Step& step : steps) seconds.push_back(kept.count(step.name) != 0 ? 0 : step.expected_s);
    seconds.push_back(kReportTakes_s);
    return seconds;
  }
  StepResult take(const Step& step, size_t number);
  StepResult measure(const Step& step, size_t number);
  std::string stay_awake(const Step& step, std::shared_ptr<void>& held) const;
  core::Status keep(const std::string& step, StepResult result);
  core::Status keep(core::Phase phase);
  core::Phase observe(const char* name, const std::vector<core::SettingObservation>& observed);

  const Plan& plan_;
  const reports::Gate gate_;  // the limits of the plan are in it
  core::RunResult run_;
  const RunDirectory& directory_;
  const Bench bench_;
  std::unique_ptr<RunShield> shield_;
  std::optional<core::Phase> told_of_shield_;
  const std::string not_shielded_;
  const std::vector<std::string> skip_;  // each names something
  std::vector<Step> steps_;
  const Results earlier_;  // all that the run had when it was resumed
  Results kept_;
  RunProgress progress_;
};

// Puts the result where the plan has it, and the whole run on disk.
core::Status Run::keep(const std::string& step_name, StepResult result) {
  kept_.insert_or_assign(step_name, std::move(result));
  run_.phases.clear();
  run_.comparisons.clear();
  const auto add = [&](const std::string& name) {
    // What is to be measured again stays until it is.
    const Results& results = kept_.count(name) != 0 ? kept_ : earlier_;
    const auto found = results.find(name);
    if (found == results.end()) return;
    const auto& [phases, comparisons] = found->second;
    run_.phases.insert(run_.phases.end(), phases.begin(), phases.end());
    run_.comparisons.insert(run_.comparisons.end(), comparisons.begin(), comparisons.end());
  };
  for (const char* name : {kShieldStep, kPreflight, kShieldAuditStep}) add(name);
  for (const Step& step : steps_) add(step.name);
  add(kPreflightAtTheEnd);
  return directory_.write(run_);
}

core::Status Run::keep(core::Phase phase) {
  const std::string name = phase.name;
  return keep(name, {{std::move(phase)}, {}});
}

core::Status Run::skip() {
  for (const Step& step : steps_) {
    if (!is_left_out(*step.phase, step.meter, skip_)) continue;
    // A result that is there stays, above all a control that failed: leaving it out must not make the run better.
    if (const auto earlier = earlier_.find(step.name); earlier != earlier_.end()) {
      if (const core::Status kept = keep(step.name, earlier->second); !kept) return kept;
      continue;
    }
    core::Phase phase;
    phase.name = step.name;
    phase.kind = to_string(step.phase->kind);
    phase.status = core::PhaseStatus::skipped;
    phase.reason = "left out by --skip";
    if (is_control(step.phase->kind)) phase.control.emplace().meter = to_string(step.meter);
    if (const core::Status kept = keep(phase); !kept) return kept;
  }
  return {};
}

core::Status Run::shield() {
  if (!told_of_shield_) {
    progress_.note(not_shielded_);
    return {};
  }
  const core::Phase& told = *told_of_shield_;
  const auto cpus = told.facts.find("CPUs");
  progress_.note(
      fmt::format("{}: {}", kShieldStep,
                  cpus == told.facts.end() ? progress_line(told) : fmt::format("on for CPU {}", cpus->second)));
  for (const std::string& warning : told.warnings) progress_.note(fmt::format("{}: {}", kShieldStep, warning));
  return keep(told);
}

core::Status Run::audit() {
  if (shield_ == nullptr || stopping()) return {};
  core::Result<core::Phase> proof = shield_->audit();
  core::Phase phase = proof ? *std::move(proof) : phase_without_result(proof.error());
  phase.name = kShieldAuditStep;
  phase.kind = core::kAuditKind.name;
  progress_.note(fmt::format("{}: {}", kShieldAuditStep, progress_line(phase)));
  for (const std::string& warning : phase.warnings) progress_.note(fmt::format("{}: {}", kShieldAuditStep, warning));
  return keep(std::move(phase));
}

// After the last reading of the settings, before the report, which needs no quiet CPU.
core::Status Run::unshield() {
  if (shield_ == nullptr) return {};
  const TakenOff off = shield_->take_off();
  progress_.note(fmt::format("{}: taken off: {}", kShieldStep, off.told));
  for (const std::string& line : off.left) progress_.note(fmt::format("{}: {}", kShieldStep, line));
  core::Phase told = *told_of_shield_;
  told.facts["taken off"] = off.told;
  told.warnings.insert(told.warnings.end(), off.left.begin(), off.left.end());
  return keep(std::move(told));
}

// Nobody reads a result of a run that ends so: what could not be undone is told with the reason.
core::Error Run::ended_early(core::Error why) {
  if (shield_ == nullptr) return why;
  for (const std::string& line : shield_->take_off().left) why.text += fmt::format("; {}: {}", kShieldStep, line);
  return why;
}

core::Phase Run::observe(const char* name, const std::vector<core::SettingObservation>& observed) {
  core::Phase phase;
  phase.name = name;
  phase.kind = core::kPreflightKind.name;
  phase.status = core::PhaseStatus::ok;
  phase.started = core::utc_text();
  phase.warnings = differences(run_.preflight, observed);
  add_not_comparable(plan_, observed, run_.verdict.not_comparable);
  // The report's table is of the machine as the run found it; later readings are told by their differences.
  if (run_.preflight.empty()) run_.preflight = observed;
  return phase;
}

core::Status Run::preflight() {
  const bool first = run_.machine.empty();
  if (first) run_.machine = bench_.fingerprint();
  run_.verdict.not_comparable = bench_.not_comparable();
  // A resumed run keeps what was measured before: what was not as asked for then counts still.
  if (!first) add_not_comparable(plan_, run_.preflight, run_.verdict.not_comparable);
  const std::vector<core::SettingObservation> observed = bench_.preflight(watched_cpus(steps_));
  if (const core::Status fit = require_settings(plan_, observed); !fit) return fit;
  core::Phase phase = observe(kPreflight, observed);
  if (!told_of_shield_) phase.facts["shield"] = not_shielded_;
  if (const auto config = first ? bench_.kernel_config() : std::nullopt)
    if (const core::Status written = directory_.write_kernel_config(*config); !written)
      phase.warnings.push_back("the kernel's configuration is not kept: " + written.error().text);
  for (const std::string& why : run_.verdict.not_comparable) progress_.note("not comparable with bare metal: " + why);
  return keep(std::move(phase));
}

// What the result says of /dev/cpu_dma_latency, which `held` then holds.
std::string Run::stay_awake(const Step& step, std::shared_ptr<void>& held) const {
  if (step.meter->holds_latency_itself) return "held as the meter's own arguments say";
  if (!plan_.dma_latency) return "left as it was: --no-dma-latency";
  core::Result<std::shared_ptr<void>> latency = bench_.stay_awake();
  if (!latency) return "not held: " + latency.error().text;
  held = *std::move(latency);
  return "/dev/cpu_dma_latency held at 0";
}

StepResult Run::take(const Step& step, size_t number) {
  std::shared_ptr<void> awake;
  const std::string latency = stay_awake(step, awake);
  StepResult result = measure(step, number);
  for (core::Phase& phase : result.phases) phase.facts["idle latency"] = latency;
  return result;
}

StepResult Run::measure(const Step& step, size_t number) {
  const std::unique_ptr<Meter> meter = bench_.meter(step.meter);
  const std::string file = directory_.fresh_phase_path(number, step.name);
  core::Phase phase =
      is_control(step.phase->kind)
          ? run_control(*step.phase, step.placement, *meter, bench_, file, run_.seed + number, progress_)
          : run_phase(*step.phase, step.placement, *meter,
                      job_of(*step.phase, step.placement, file, run_.seed + number, plan_.kernel_events), bench_.grace,
                      progress_);
  phase.name = step.name;
  if (!is_comparison(step.phase->kind)) return {{std::move(phase)}, {}};
  StepResult arms = arms_of_step(std::move(phase), file);
  if (plan_.kernel_events && arms.phases.front().status == PhaseStatus::ok && !stopping())
    arms.phases.front().facts[kWatchingCostFact] =
        watching_cost([this] { return bench_.meter(&kNptPhase); }, step.placement.measured, file + ".watching");
  return arms;
}

core::Status Run::phases() {
  for (size_t i = 0; i < steps_.size() && !stopping(); ++i) {
    const Step& step = steps_[i];
    if (const auto earlier = kept_.find(step.name); earlier != kept_.end()) {
      const core::Phase& phase = earlier->second.phases.front();
      const bool measured = phase.status == PhaseStatus::ok;
      progress_.note(fmt::format("{}: {}", step.name, measured ? "kept as it was measured" : phase.reason));
      continue;
    }
    progress_.begin(i, step.name);
    StepResult result = take(step, i + 1);
    for (const std::string& line : progress_lines(result)) progress_.note(fmt::format("{}: {}", step.name, line));
    if (const core::Status kept = keep(step.name, std::move(result)); !kept) return kept;
  }
  return {};
}

core::Status Run::look_again() {
  return keep(observe(kPreflightAtTheEnd, bench_.preflight(watched_cpus(steps_))));
}

core::Status Run::finish() {
  const bool interrupted = stopping();
  run_.state = interrupted ? core::RunResult::State::interrupted : core::RunResult::State::complete;
  run_.ended = core::utc_text();
  run_.verdict = reports::judge(run_, gate_, reports::today_utc());
  if (interrupted) {
    const auto missing = std::count_if(steps_.begin(), steps_.end(), [&](const Step& step) {
      const auto found = kept_.find(step.name);
      return found == kept_.end() || !is_kept(found->second);
    });
    run_.verdict.reasons.push_back(fmt::format("{} of {} steps are missing", missing, steps_.size()));
  }
  return directory_.write(run_);
}

core::Result<Outcome> Run::report() {
  progress_.begin(steps_.size(), "report");
  Outcome outcome;
  if (const core::Status written = bench_.write_report(run_, directory_.report_path()); written) {
    outcome.has_report = true;
  } else {
    const core::Error& error = written.error();
    outcome.warnings.push_back(
        fmt::format("no report.html: {}{}", error.text, error.hint.empty() ? "" : "; " + error.hint));
  }
  outcome.run = std::move(run_);
  return outcome;
}

}  // namespace

core::Status check_plan(const Plan& plan, const Bench& bench) {
  for (const PhasePlan& phase : plan.phases) {
    for (const std::string& load : phase.loads) {
      const core::Status possible = loadgen::LoadSet::check({load}, bench.cpus.online);
      if (possible) continue;
      // A load of ours whose package is missing costs its phase only; what the plan itself names wrongly costs nothing.
      const core::Error& error = possible.error();
      if (error.exit_status == core::Exit::cannot_run && !load.starts_with("command:")) continue;
      return core::Error{fmt::format("phase '{}': {}", phase.name, error.text), error.hint, error.exit_status};
    }
  }
  // Where none is named, a plan that measures all CPUs goes on without a shield.
  if (!plan.housekeeping.empty())
    if (const core::Result<shield::ShieldPlan> shield = shield_of(plan, bench.cpus); !shield) return shield.error();
  const core::Result<std::vector<Step>> steps = steps_of(plan, bench.cpus);
  if (!steps) return steps.error();
  for (const Step& step : *steps)
    if (core::Status takes = check_meter_words(step, bench, plan.kernel_events); !takes) return takes;
  return bench.may_measure();
}

core::Result<Outcome> orchestrate(RunRequest request) {
  const core::Result<Plan> left = left_by_skip(request.plan, request.skip);
  if (!left) return left.error();
  if (const core::Status sound = check_plan(*left, request.bench); !sound) return sound.error();
  core::RunResult& run = request.run;
  if (const core::Status same = require_same_build(run); !same) return same.error();
  if (!run.machine.empty()) {
    const core::Status same = require_same_machine(run.machine, request.bench.fingerprint());
    if (!same) return same.error();
  }
  if (run.started.empty()) run.started = core::utc_text();
  core::Result<reports::Gate> gate = reports::gate_of_run(run, request.directory.result_path());
  if (!gate) return gate.error();
  const core::Result<std::vector<Step>> named = steps_of(request.plan, request.bench.cpus);
  if (!named) return named.error();
  if (const core::Status fit = check_phases_of_gate(*gate, *named); !fit) return fit.error();

  core::Result<Ground> ground = prepare_ground(*left, request.bench);
  if (!ground) return ground.error();
  core::Result<std::vector<Step>> steps = steps_of(request.plan, ground->bench.cpus);
  if (!steps) return steps.error();
  Run under_way(std::move(request), *std::move(gate), *std::move(ground), *std::move(steps));
  for (const auto part : {&Run::skip, &Run::shield, &Run::preflight, &Run::audit, &Run::phases, &Run::look_again,
                          &Run::unshield, &Run::finish})
    if (const core::Status done = (under_way.*part)(); !done) return under_way.ended_early(done.error());
  return under_way.report();
}

}  // namespace maxlat::rteval_ext
