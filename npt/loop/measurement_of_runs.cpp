// SPDX-License-Identifier: MIT
#include "measurement_of_runs.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <iterator>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/run_queue_wait.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <optional>

#include "cpu_result.hpp"
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
  const core::RtThrottling settings = core::read_rt_throttling();
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

}  // namespace

core::Phase phase_before(const Options& options, const base::CounterClock& clock) {
  core::Phase phase;
  phase.name = "npt";
  phase.kind = "npt";
  phase.arm = to_string(options.arm);
  phase.started = core::utc_text();
  auto& facts = phase.facts;
  const bool raw = clock.source == base::RateSource::monotonic_raw;
  facts["counter"] = to_string(raw ? CounterRead::raw_clock : options.counter);
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
  if (options.rest_ns != 0)
    facts["rest"] = fmt::format("{} asleep in each second, not counted as exposure",
                                core::duration_text(static_cast<double>(options.rest_ns) / 1e9));
  if (!options.rest_why.empty()) facts["rest_why"] = options.rest_why;
  if (options.max_event_hz > 0)
    facts["event_rate"] = fmt::format("at most {:.6g} tracepoints a second and CPU{}", options.max_event_hz,
                                      options.arm.is_none() ? ", which are empty" : "");
  if (options.trace_window_ns > 0) {
    phase.gaps = kTracedWindows;
    phase.name = fmt::format("npt ({})", phase.gaps);
    facts["windows"] = fmt::format("tracepoints on for {}, then off for {}, in turns",
                                   core::duration_text(static_cast<double>(options.trace_window_ns) / 1e9),
                                   core::duration_text(static_cast<double>(options.wait_window_ns) / 1e9));
  }
  return phase;
}

core::Phase unmeasured_phase(const Options& options, const core::Error& reason) {
  core::Phase phase;
  phase.name = "npt";
  phase.kind = "npt";
  phase.arm = to_string(options.arm);
  phase.started = core::utc_text();
  phase.status = reason.exit_status == core::Exit::cannot_run ? core::PhaseStatus::skipped : core::PhaseStatus::invalid;
  phase.reason = reason.text;
  return phase;
}

core::Phase phase_snapshot(const core::Phase& before, const Options& options, const base::CounterClock& clock,
                           const Runs& runs, double elapsed_s) {
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
  phase.facts["start_monotonic_ns"] = fmt::format("{}", start_ns);
  for (const CpuRun* run : begun) {
    phase.per_cpu.push_back(cpu_snapshot_of(*run, clock, start_ns, options.outliers));
    phase.exposure_s += phase.per_cpu.back().exposure_s;
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

core::Result<Measurement> measurement_of(const Options& options, const base::CounterClock& clock, core::Phase before,
                                         const Runs& runs, const LoopCost& cost) {
  Measurement measurement{clock, options.scheduling, cost, {}, std::move(before), false, false, nullptr, {}};
  core::Phase& phase = measurement.phase;
  bool stopped = false;
  uint64_t start_ns = UINT64_MAX;
  for (const CpuRun* run : runs) start_ns = std::min(start_ns, run->start_monotonic_ns);
  phase.facts["start_monotonic_ns"] = fmt::format("{}", start_ns);
  for (const CpuRun* run : runs) {
    if (run->kernel_loop_error != 0) return why_no_irqoff(run->kernel_loop_error);
    if (core::Status books = check_books(*run); !books) return books.error();
    phase.per_cpu.push_back(cpu_result_of(*run, clock, start_ns));
    phase.exposure_s += phase.per_cpu.back().exposure_s;
    const double duration_s = clock.to_ns(static_cast<double>(run->end_ticks - run->journal.start())) / 1e9;
    phase.duration_s = std::max(phase.duration_s, duration_s);
    measurement.cpus.push_back({run->cpu, run->histogram, run->samples});
    stopped = stopped || run->why == Journal::Why::stopped;
    if (run->journal.why() == Journal::Why::broken) {
      measurement.limit_exceeded = true;
      phase.facts["break"] = break_text(*run, clock);
    }
    if (run->journal.timeline_full())
      phase.warnings.push_back(
          fmt::format("CPU {}: the last step of the timeline holds all that came after it", run->cpu));
  }
  add_facts_of_end(phase, options, runs, cost);
  phase.status = core::PhaseStatus::ok;
  const bool ends_by_signal_only = options.duration_ns == 0 && options.loops == 0;
  if (stopped && ends_by_signal_only) {
    phase.facts["stopped_by"] = fmt::format("a signal, after {}", core::duration_text(phase.duration_s));
  } else if (stopped && !measurement.limit_exceeded) {
    phase.status = core::PhaseStatus::interrupted;
    phase.reason =
        fmt::format("by a signal after {}: the figures are of that time", core::duration_text(phase.duration_s));
  }
  if (const auto reason = why_invalid(options, phase, runs)) {
    phase.status = core::PhaseStatus::invalid;
    phase.reason = *reason;
  }
  return measurement;
}

}  // namespace maxlat::npt
