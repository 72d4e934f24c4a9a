// SPDX-License-Identifier: MIT
#include "measurement_of_runs.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <iterator>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/result/phase_start.hpp>
#include <maxlat/core/stats/cpu_books.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/run_queue_wait.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <maxlat/npt/arm.hpp>
#include <memory>
#include <optional>
#include <string>

#include "interrupts.hpp"
#include "irqoff_device.hpp"
#include "throttling.hpp"

namespace maxlat::npt {
namespace {

// The label, and beside an "on" that nobody asked for why it is no "off".
void add_interrupts(core::Phase& phase, const Options& options, bool enabled_in_loop) {
  const bool wanted_off = !options.allow_interrupts;
  const OffBy off_by = options.kernel_loop ? OffBy::kernel_loop : OffBy::module_in_user_space;
  const CliEffect effect = wanted_off && enabled_in_loop ? try_cli() : CliEffect::not_permitted;
  phase.facts["interrupts"] = interrupts_label(off_by, options.allow_interrupts, effect, enabled_in_loop);
  std::string& why = phase.facts["interrupts_why"];
  if (!enabled_in_loop)
    why = fmt::format("off for at most {} at a stretch; the moment between two of them is not watched",
                      core::duration_text(static_cast<double>(kInterruptsOffStretch_ns) / 1e9));
  else if (wanted_off && !cli_text(effect).empty())
    why += (why.empty() ? "" : "; ") + cli_text(effect);
  if (why.empty()) phase.facts.erase("interrupts_why");
}

void add_facts_of_end(core::Phase& phase, const Options& options, const Runs& runs, const LoopCost& cost) {
  uint64_t voluntary = 0, involuntary = 0, faults = 0;
  bool interrupts_on = true;
  for (const CpuRun* run : runs) {
    voluntary += run->voluntary_switches;
    involuntary += run->involuntary_switches;
    faults += run->page_faults;
    interrupts_on = interrupts_on && run->interrupts_enabled;
  }
  phase.facts["bare_read_ns"] = fmt::format("{:.2f}", cost.bare_read_ns);
  phase.facts["loop_cost_ns"] = fmt::format("{:.2f}", cost.loop_ns);
  phase.facts["involuntary_context_switches"] = fmt::format("{}", involuntary);
  phase.facts["voluntary_context_switches"] = fmt::format("{}", voluntary);
  phase.facts["page_faults_in_loop"] = fmt::format("{}", faults);
  if (faults > 0) phase.warnings.push_back(fmt::format("{} page faults within the loop", faults));
  add_interrupts(phase, options, interrupts_on);
}

// Why the measurement is not valid; nothing when it is. What is less than that becomes a warning.
std::optional<std::string> why_invalid(const Options& options, core::Phase& phase, const Runs& runs) {
  for (size_t i = 0; i < runs.size(); ++i)
    if (const std::string& why = runs[i]->why_left; !why.empty())
      return core::watched_until_it_left(why, phase.per_cpu[i].exposure_s);
  const core::RtThrottling settings = core::read_rt_throttling("/", options.cpus);
  for (size_t i = 0; i < runs.size(); ++i) {
    const ThrottlingEvidence evidence{options.scheduling.policy, settings, phase.duration_s,
                                      phase.per_cpu[i].timeline.max_ns, runs[i]->involuntary_switches};
    if (const auto reason = throttled(evidence)) return fmt::format("CPU {}: {}", runs[i]->cpu, *reason);
  }
  if (options.scheduling.policy == core::Policy::other) return {};  // it asked to share its CPU
  for (const CpuRun* run : runs) {
    const auto taken = core::judge({run->cpu, run->taken_by_others_ns, phase.duration_s});
    if (taken && taken->too_much) return taken->text;
    if (taken) phase.warnings.push_back(taken->text);
  }
  return {};
}

std::string break_text(const CpuRun& run, const base::CounterClock& clock) {
  const auto ns = [&](uint64_t ticks) { return clock.to_ns(static_cast<double>(ticks)); };
  return fmt::format("a gap of {} on CPU {}, {:.6f} s after the start",
                     core::latency_text(ns(run.journal.breaking_gap())), run.cpu,
                     ns(run.journal.breaking_time() - run.journal.start()) / 1e9);
}

// Time 0 of a phase is its start, `phase_start_ns` on CLOCK_MONOTONIC: a little before this CPU's. Of a CPU that runs
// on, the exposure is not there to be read: the loop writes it, and no fence goes with it.
core::CpuBooks running_books(const CpuRun& run, const base::CounterClock& clock, uint64_t phase_start_ns) {
  return {run.cpu, run.histogram, run.journal, 0,
          run.journal.start() - clock.to_ticks(run.start_monotonic_ns - phase_start_ns)};
}

core::CpuBooks ended_books(const CpuRun& run, const base::CounterClock& clock, uint64_t phase_start_ns) {
  core::CpuBooks books = running_books(run, clock, phase_start_ns);
  books.exposure_ticks = run.exposure_ticks;
  return books;
}

}  // namespace

core::Phase phase_before(const MeasurementPlan& plan, bool has_own_cpu) {
  const Options& options = plan.options;
  const base::CounterClock& clock = plan.clock;
  core::Phase phase;
  phase.name = "npt";
  phase.kind = core::kNptKind.name;
  phase.arm = to_string(options.arm);
  phase.started = core::utc_text();
  auto& facts = phase.facts;
  const bool raw = plan.reads_raw_clock();
  facts["counter"] = to_string(plan.counter);
  facts["counter_rate_source"] = base::to_string(clock.source);
  facts["counter_trust"] = clock.why;
  if (!raw) facts["counter_mhz"] = fmt::format("{:.3f}", clock.ticks_per_ns * 1e3);
  if (clock.error_ppm > 0) facts["counter_rate_error_ppm"] = fmt::format("{:.1f}", clock.error_ppm);
  if (!clock.trusted) phase.warnings.push_back("the time-stamp counter is taken as asked, though " + clock.why);
  if (raw && options.counter != CounterRead::raw_clock)
    phase.warnings.push_back("the time-stamp counter is not trusted (" + clock.why + "): gaps of CLOCK_MONOTONIC_RAW");
  facts["policy"] = core::to_string(options.scheduling);
  facts["memory"] = options.lock_memory ? "locked" : "not locked";
  facts["uncounted_loops"] = fmt::format("{}", options.uncounted_loops);
  if (options.break_above_ns != 0)
    facts[core::fact::kLimit] = core::latency_text(static_cast<double>(options.break_above_ns));
  if (options.rest_ns != 0)
    facts["rest"] = fmt::format("{} asleep in each second{}, not counted as exposure",
                                core::duration_text(static_cast<double>(options.rest_ns) / 1e9),
                                options.rest_parts == 1 ? "" : fmt::format(", in {} parts", options.rest_parts));
  if (!options.rest_why.empty()) facts["rest_why"] = options.rest_why;
  if (plan.limits_rate())
    facts["event_rate"] = fmt::format("at most {:.6g} tracepoints a second and CPU{}", options.max_event_hz,
                                      plan.has_arm() ? "" : ", which are empty");
  if (plan.has_windows()) {
    phase.gaps = kTracedWindows;
    phase.name = fmt::format("npt ({})", phase.gaps);
    facts["windows"] = fmt::format("tracepoints on for {}, then off for {}, in turns",
                                   core::duration_text(static_cast<double>(options.trace_window_ns) / 1e9),
                                   core::duration_text(static_cast<double>(options.wait_window_ns) / 1e9));
  }
  if (!has_own_cpu && options.snapshot_period_ns > 0)
    phase.warnings.push_back("every CPU was measured, so none was left to take snapshots on");
  if (!has_own_cpu && plan.has_arm())
    phase.warnings.push_back("every CPU was measured, so the tracer's consumer had to share one of them");
  return phase;
}

core::Phase unmeasured_phase(const Options& options, const core::Error& reason) {
  core::Phase phase;
  phase.name = "npt";
  phase.kind = core::kNptKind.name;
  phase.arm = to_string(options.arm);
  phase.started = core::utc_text();
  phase.status = reason.exit_status == core::Exit::cannot_run ? core::PhaseStatus::skipped : core::PhaseStatus::invalid;
  phase.reason = reason.text;
  return phase;
}

core::Phase phase_snapshot(const core::Phase& before, const MeasurementPlan& plan, const Runs& runs, double elapsed_s) {
  core::Phase phase = before;
  phase.status = core::PhaseStatus::interrupted;
  phase.reason = fmt::format("still running {} after its start", core::duration_text(elapsed_s));
  phase.duration_s = elapsed_s;
  phase.facts["snapshot"] = "taken while the loop ran: mean and deviation from bins, one outlier a second";
  Runs begun;  // the others are still in their warm-up; steps() > 0 also publishes start_monotonic_ns
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(begun),
               [](const CpuRun* run) { return run->journal.steps() > 0; });
  if (begun.empty()) return phase;
  uint64_t start_ns = UINT64_MAX;
  for (const CpuRun* run : begun) start_ns = std::min(start_ns, run->start_monotonic_ns);
  core::set_start(phase, start_ns);
  for (const CpuRun* run : begun) {
    core::CpuResult cpu = running_cpu(running_books(*run, plan.clock, start_ns), plan.clock, plan.options.outliers);
    // The gaps that are filed are the time that was watched.
    cpu.exposure_s = cpu.mean_ns * static_cast<double>(cpu.samples) * 1e-9;
    phase.exposure_s += cpu.exposure_s;
    phase.per_cpu.push_back(std::move(cpu));
  }
  return phase;
}

core::Status check_books(const CpuRun& run) {
  const uint64_t filed = run.histogram.total(), sum = run.histogram.raw().sum;
  if (filed == run.samples && sum == run.exposure_ticks) return {};
  return core::Error{
      fmt::format("CPU {}: the books do not balance: {} samples taken and {} filed, {} ticks watched and {} filed",
                  run.cpu, run.samples, filed, run.exposure_ticks, sum),
      "this is a defect of maxlat, or memory was overwritten: please report it", core::Exit::invalid};
}

namespace {

// Of one set of books: all windows, or those of one kind.
core::Result<Measurement> measurement_of_books(const MeasurementPlan& plan, core::Phase before, const Runs& runs,
                                               const LoopCost& cost) {
  const base::CounterClock& clock = plan.clock;
  Measurement measurement{clock, plan.options.scheduling, cost, {}, {}, std::move(before), false, false, false, nullptr,
                          {}};
  core::Phase& phase = measurement.phase;
  bool stopped = false;
  uint64_t start_ns = UINT64_MAX;
  for (const CpuRun* run : runs) start_ns = std::min(start_ns, run->start_monotonic_ns);
  core::set_start(phase, start_ns);
  for (const CpuRun* run : runs) {
    if (run->kernel_loop_error != 0) return why_no_irqoff(run->kernel_loop_error);
    if (core::Status balance = check_books(*run); !balance) return balance.error();
    const core::CpuBooks books = ended_books(*run, clock, start_ns);
    phase.per_cpu.push_back(ended_cpu(books, clock));
    phase.exposure_s += phase.per_cpu.back().exposure_s;
    const double duration_s = clock.to_ns(static_cast<double>(run->end_ticks - run->journal.start())) / 1e9;
    phase.duration_s = std::max(phase.duration_s, duration_s);
    measurement.cpus.push_back({run->cpu, run->histogram, run->samples});
    if (plan.options.raw_above_ns != 0) {
      measurement.raw.push_back(raw_gaps_of(books, clock, plan.options.raw_above_ns));
      if (const uint64_t not_kept = run->journal.raw_not_kept(); not_kept > 0)
        phase.warnings.push_back(
            fmt::format("CPU {}: {} gaps above {} found no room among the raw ones; a higher --above keeps all",
                        run->cpu, not_kept, core::latency_text(static_cast<double>(plan.options.raw_above_ns))));
    }
    stopped = stopped || run->why == core::Journal::Why::stopped;
    measurement.left_cpu = measurement.left_cpu || !run->why_left.empty();
    if (run->journal.why() == core::Journal::Why::broken) {
      measurement.limit_exceeded = true;
      phase.facts[core::fact::kBreak] = break_text(*run, clock);
    }
    if (run->journal.timeline_full())
      phase.warnings.push_back(
          fmt::format("CPU {}: the last step of the timeline holds all that came after it", run->cpu));
  }
  add_facts_of_end(phase, plan.options, runs, cost);
  phase.status = core::PhaseStatus::ok;
  if (stopped && plan.ends_by_signal_only()) {
    phase.facts["stopped_by"] = fmt::format("a signal, after {}", core::duration_text(phase.duration_s));
  } else if (stopped && !measurement.limit_exceeded) {
    phase.status = core::PhaseStatus::interrupted;
    phase.reason =
        fmt::format("by a signal after {}: the figures are of that time", core::duration_text(phase.duration_s));
  }
  if (const auto reason = why_invalid(plan.options, phase, runs)) {
    phase.status = core::PhaseStatus::invalid;
    phase.reason = *reason;
  }
  return measurement;
}

// What was measured in the windows without tracepoints; null when there was none before the end.
core::Result<std::unique_ptr<Measurement>> waiting_measurement(const MeasurementPlan& plan, core::Phase before,
                                                               const EndedRun& run) {
  Runs runs;
  for (const EndedCpu& cpu : run.cpus)
    if (cpu.waiting != nullptr && cpu.waiting->samples > 0) runs.push_back(cpu.waiting);
  if (runs.empty()) return std::unique_ptr<Measurement>();
  before.gaps = kWaitingWindows;
  before.name = fmt::format("npt ({})", before.gaps);
  auto waiting = measurement_of_books(plan, std::move(before), runs, run.cost);
  if (!waiting) return waiting.error();
  return std::make_unique<Measurement>(std::move(*waiting));
}

// The gaps with an event in them, at a limited rate, or those picked out in its place where there is no arm; nothing
// when there was none.
std::optional<core::Phase> event_gap_phase(const core::Phase& measured, const base::CounterClock& clock,
                                           const EndedRun& run) {
  core::Phase phase = measured;
  phase.gaps = kGapsWithATracepoint;
  phase.name = fmt::format("npt ({})", phase.gaps);
  phase.events.reset();  // they are in the books of the whole, and so are the paths
  phase.paths.clear();
  phase.per_cpu.clear();
  phase.exposure_s = 0;
  for (const EndedCpu& cpu : run.cpus) {
    if (cpu.event_gaps == nullptr || cpu.event_gaps->total() == 0) continue;
    phase.per_cpu.push_back(core::cpu_result_from(cpu.run->cpu, *cpu.event_gaps, clock));
    phase.per_cpu.back().exposure_s = clock.to_ns(static_cast<double>(cpu.event_gaps->raw().sum)) / 1e9;
    phase.exposure_s += phase.per_cpu.back().exposure_s;
  }
  if (phase.per_cpu.empty()) return {};
  return phase;
}

void mark_starved(Measurement& measurement, const std::string& by) {
  for (Measurement* part : {&measurement, measurement.waiting.get()}) {
    if (part == nullptr) continue;
    part->starved = true;
    part->phase.status = core::PhaseStatus::invalid;
    part->phase.reason = by;
  }
}

ArmRun arm_run_of(const MeasurementPlan& plan, const EndedRun& run) {
  ArmRun arm_run;
  arm_run.event_in_every_turn = !plan.limits_rate();
  for (const EndedCpu& cpu : run.cpus) {
    arm_run.produced += cpu.events;
    const core::Journal& journal = cpu.run->journal;
    if (!plan.reads_raw_clock())
      arm_run.threads.push_back({cpu.run->cpu, cpu.thread_id, journal.start(), journal.outliers().largest_first()});
  }
  return arm_run;
}

// All gaps that had an event in them.
base::Histogram gaps_with_events(const EndedRun& run) {
  base::Histogram gaps;
  for (const EndedCpu& cpu : run.cpus) gaps.merge(cpu.event_gaps != nullptr ? *cpu.event_gaps : cpu.run->histogram);
  return gaps;
}

void close_books(Arm& arm, const MeasurementPlan& plan, const EndedRun& run, core::Phase& phase) {
  const ArmRun arm_run = arm_run_of(plan, run);
  const ArmBooks books = arm.finish(arm_run);
  enter_books(books, arm_run.produced, phase);
  if (books.tail) enter_tail(*books.tail, arm_run, gaps_with_events(run), plan.clock, phase);
}

void tell_who_saw(const EndedRun& run, core::Phase& phase) {
  phase.facts["sensors"] = run.why_not_seen.empty() ? "of each CPU, as npt-cpu" : "none: " + run.why_not_seen;
  if (!run.why_not_seen.empty()) phase.warnings.push_back("nobody could follow the run: " + run.why_not_seen);
}

void warn_of_none(core::Phase& phase, const char* gaps) {
  phase.warnings.push_back(fmt::format("no {}: the run ended before the first", gaps));
}

}  // namespace

core::Result<Measurement> measurement_of(const MeasurementPlan& plan, const core::Phase& before, const EndedRun& run,
                                         Arm* arm) {
  core::Phase begun = before;
  begun.facts["interrupts_why"] = run.why_interrupts_on;
  if (plan.options.sensors) tell_who_saw(run, begun);
  auto waiting = waiting_measurement(plan, begun, run);
  if (!waiting) return waiting.error();
  Runs runs;
  for (const EndedCpu& cpu : run.cpus) runs.push_back(cpu.run);
  auto measurement = measurement_of_books(plan, std::move(begun), runs, run.cost);
  if (!measurement) return measurement.error();
  measurement->waiting = std::move(*waiting);
  if (run.starved_by) mark_starved(*measurement, *run.starved_by);
  if (arm != nullptr) close_books(*arm, plan, run, measurement->phase);
  measurement->event_gaps = event_gap_phase(measurement->phase, plan.clock, run);
  if (plan.has_windows() && !measurement->waiting) warn_of_none(measurement->phase, kWaitingWindows);
  if (plan.limits_rate() && !measurement->event_gaps) warn_of_none(measurement->phase, kGapsWithATracepoint);
  return measurement;
}

}  // namespace maxlat::npt
