// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <filesystem>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/npt/measure.hpp>
#include <memory>
#include <optional>

#include "arms/arm.hpp"
#include "measurement_of_runs.hpp"
#include "measuring_thread.hpp"
#include "supervision.hpp"
#include "surroundings.hpp"

namespace maxlat::npt {
namespace {

constexpr uint64_t kStepNs = 1'000'000'000;
constexpr uint64_t kLookEveryNs = 100'000'000;
constexpr uint64_t kMaxSteps = 7 * 86'400;        // one week of seconds: 9.7 MB per CPU; longer runs get longer steps
constexpr uint64_t kStepsWithoutDuration = 3600;  // when only a loop count is known
constexpr uint64_t kStepsUntilStopped = 86'400;   // when nothing but a signal ends it

core::Error fail(std::string text, std::string hint) {
  return {std::move(text), std::move(hint)};
}

base::CounterClock choose_clock(const Options& options) {
  const bool asked_for_raw = options.counter == CounterRead::raw_clock;
  base::CounterClock clock = base::calibrate(options.measure_counter_rate);
  if ((clock.trusted || options.trust_counter) && !asked_for_raw) return clock;
  base::CounterClock raw = base::clock_with_rate(1.0);
  raw.source = base::RateSource::monotonic_raw;
  raw.why = asked_for_raw ? "asked for" : clock.why;
  return raw;
}

JournalSpec journal_spec(const Options& options, const base::CounterClock& clock, std::atomic<bool>& halt, Arm* arm) {
  const uint64_t seconds = options.duration_ns != 0 ? (options.duration_ns + kStepNs - 1) / kStepNs
                           : options.loops != 0     ? kStepsWithoutDuration
                                                    : kStepsUntilStopped;
  // A rest is taken in each step, and it must be each second.
  const uint64_t seconds_a_step = options.rest_ns > 0 ? 1 : (seconds + kMaxSteps - 1) / kMaxSteps;
  JournalSpec spec;
  spec.step_ticks = clock.to_ticks(seconds_a_step * kStepNs);
  spec.steps = (seconds + seconds_a_step - 1) / seconds_a_step;
  spec.look_every_ticks = clock.to_ticks(kLookEveryNs);
  spec.duration_ticks = clock.to_ticks(options.duration_ns);
  spec.rest_ticks = clock.to_ticks(options.rest_ns);
  spec.break_above = options.break_above_ns == 0 ? UINT64_MAX : clock.to_ticks(options.break_above_ns);
  spec.outliers = options.outliers;
  if (options.arm.snapshot_above_ns != 0) {
    spec.tell_above = clock.to_ticks(options.arm.snapshot_above_ns);
    spec.tell = [](void* told, uint64_t gap) { static_cast<Arm*>(told)->long_gap(gap); };
    spec.tell_state = arm;
  }
  spec.stop = &core::stop_requested();
  spec.halt = &halt;
  return spec;
}

// What was measured in the windows without tracepoints; empty when there was none before the end.
Runs waiting_runs_of(const Threads& threads) {
  Runs runs;
  for (const auto& thread : threads)
    if (thread->waiting_run() != nullptr && thread->waiting_run()->samples > 0) runs.push_back(thread->waiting_run());
  return runs;
}

core::Result<std::unique_ptr<Measurement>> waiting_measurement(const Options& options, const base::CounterClock& clock,
                                                               const core::Phase& before, const Threads& threads) {
  const Runs runs = waiting_runs_of(threads);
  if (runs.empty()) return std::unique_ptr<Measurement>();
  core::Phase phase = before;
  phase.gaps = kWaitingWindows;
  phase.name = fmt::format("npt ({})", phase.gaps);
  auto waiting = measurement_of(options, clock, std::move(phase), runs, threads.front()->cost());
  if (!waiting) return waiting.error();
  return std::make_unique<Measurement>(std::move(*waiting));
}

// The gaps with an event in them, at a limited rate, or those picked out in its place where there is no arm; nothing
// when there was none.
std::optional<core::Phase> event_gap_phase(const core::Phase& measured, const base::CounterClock& clock,
                                           const Options& options, const Threads& threads) {
  core::Phase phase = measured;
  phase.gaps = kGapsWithATracepoint;
  phase.name = fmt::format("npt ({})", phase.gaps);
  phase.events.reset();  // they are in the books of the whole, and so are the paths
  phase.paths.clear();
  phase.per_cpu.clear();
  phase.exposure_s = 0;
  for (size_t i = 0; i < threads.size(); ++i) {
    const base::Histogram* const gaps = threads[i]->event_gaps();
    if (gaps == nullptr || gaps->total() == 0) continue;
    phase.per_cpu.push_back(core::cpu_result_from(options.cpus[i], *gaps, clock));
    phase.per_cpu.back().exposure_s = clock.to_ns(static_cast<double>(gaps->raw().sum)) / 1e9;
    phase.exposure_s += phase.per_cpu.back().exposure_s;
  }
  if (phase.per_cpu.empty()) return {};
  return phase;
}

void warn_of_none(core::Phase& phase, const char* gaps) {
  phase.warnings.push_back(fmt::format("no {}: the run ended before the first", gaps));
}

// An arm that is set up, and the folder that outlives it.
struct ArmInPlace {
  std::optional<ArmFolder> folder;
  std::unique_ptr<Arm> arm;  // null: none
};

core::Result<ArmInPlace> set_up_arm(const Options& options, const base::CounterClock& clock) {
  ArmInPlace in_place;
  if (options.arm.is_none()) return in_place;
  ::signal(SIGXFSZ, SIG_IGN);  // a file that reached its limit is an error of write(), not our end
  auto arm = make_arm(options.arm);
  if (!arm) return arm.error();
  auto folder = ArmFolder::make();
  if (!folder) return folder.error();
  in_place.folder.emplace(std::move(*folder));
  auto allowed = core::allowed_cpus();
  if (!allowed) return allowed.error();
  ArmSurroundings surroundings{options.arm, clock, options.cpus, *allowed, options.trace_folder, &*in_place.folder};
  if (options.trace_folder.empty()) {
    auto inner = in_place.folder->make_inner("trace");
    if (!inner) return inner.error();
    surroundings.trace_folder = *inner;
  } else if (std::error_code failure; !std::filesystem::create_directories(options.trace_folder, failure) && failure) {
    return core::system_error("cannot make the folder " + options.trace_folder, failure.value());
  }
  if (core::Status status = (*arm)->set_up(surroundings); !status) return status.error();
  in_place.arm = std::move(*arm);
  return in_place;
}

ArmRun arm_run_of(const Threads& threads, const Options& options, const base::CounterClock& clock) {
  ArmRun run;
  run.event_in_every_turn = options.max_event_hz <= 0;
  for (const auto& thread : threads) {
    run.produced += thread->events();
    const CpuRun& cpu = *thread->run();
    if (clock.source != base::RateSource::monotonic_raw)
      run.threads.push_back(
          {cpu.cpu, thread->thread_id(), cpu.journal.start(), cpu.journal.outliers().largest_first()});
  }
  return run;
}

// All gaps that had an event in them.
base::Histogram gaps_with_events(const Threads& threads) {
  base::Histogram gaps;
  for (const auto& thread : threads)
    gaps.merge(thread->event_gaps() != nullptr ? *thread->event_gaps() : thread->run()->histogram);
  return gaps;
}

void close_books(Arm& arm, const Threads& threads, const Options& options, const base::CounterClock& clock,
                 core::Phase& phase) {
  const ArmRun run = arm_run_of(threads, options, clock);
  const ArmBooks books = arm.finish(run);
  enter_books(books, run.produced, phase);
  if (books.tail) enter_tail(*books.tail, run, gaps_with_events(threads), clock, phase);
}

void mark_starved(Measurement& measurement, const std::string& by) {
  for (Measurement* part : {&measurement, measurement.waiting.get()}) {
    if (part == nullptr) continue;
    part->starved = true;
    part->phase.status = core::PhaseStatus::invalid;
    part->phase.reason = by;
  }
}

}  // namespace

const char* to_string(CounterRead counter) {
  switch (counter) {
    case CounterRead::fenced:
      return "fenced";
    case CounterRead::plain:
      return "plain";
    case CounterRead::ordered:
      return "ordered";
    case CounterRead::raw_clock:
      return "raw-clock";
  }
  return "";
}

core::Status check(const Options& options) {
  if (options.kernel_loop && (options.allow_interrupts || options.counter != CounterRead::fenced))
    return fail("the loop in the kernel has interrupts off and reads the counter fenced",
                "leave out what asks for something else, or --kernel-loop");
  if (options.rest_ns >= kStepNs)
    return fail("the rest must be shorter than a second", "it is slept in each second, for example --rest 60ms");
  if ((options.trace_window_ns == 0) != (options.wait_window_ns == 0))
    return fail("a trace window needs a wait window, and a wait window a trace window",
                "give both --trace-window and --wait-window: they take turns");
  return {};
}

core::Result<core::CpuList> default_cpus() {
  auto usable = core::assignable_cpus();
  if (!usable) return usable.error();
  if (core::contains(*usable, 1)) return core::CpuList{1};
  return core::CpuList{usable->back()};
}

core::Result<Measurement> measure(const Options& asked, const Observer& observer) {
  Options options = asked;
  if (core::Status status = check(options); !status) return status.error();
  if (options.cpus.empty()) {
    auto cpus = default_cpus();
    if (!cpus) return cpus.error();
    options.cpus = *cpus;
  }
  if (core::Status status = core::require_usable(options.cpus); !status) return status.error();
  const base::CounterClock clock = choose_clock(options);
  if (options.kernel_loop && clock.source == base::RateSource::monotonic_raw)
    return core::Error{"the loop in the kernel reads the time-stamp counter, which cannot be trusted: " + clock.why,
                       "--trust-counter takes it all the same", core::Exit::invalid};
  const OutOfTheWay out_of_the_way(options.cpus);
  auto in_place = set_up_arm(options, clock);
  if (!in_place) return in_place.error();
  auto locked = LockedMemory::lock(options.lock_memory);
  if (!locked) return locked.error();

  std::atomic<bool> halt{false}, set_up_failed{false}, grant_failed{false};
  std::barrier<> barrier(static_cast<std::ptrdiff_t>(options.cpus.size() + 1));
  const Start start{&options,
                    &clock,
                    journal_spec(options, clock, halt, in_place->arm.get()),
                    &barrier,
                    &set_up_failed,
                    &grant_failed,
                    !out_of_the_way.has_own_cpu(),
                    in_place->arm.get()};
  Threads threads;
  for (const unsigned cpu : options.cpus)
    threads.push_back(std::make_unique<MeasuringThread>(cpu, start, threads.empty()));
  core::Phase before = phase_before(options, clock);
  core::Status launched;
  for (auto& thread : threads) {
    if (launched) launched = thread->launch();
    if (launched) continue;
    set_up_failed.store(true);
    [[maybe_unused]] auto token = barrier.arrive();  // in place of the thread that is not there
  }
  [[maybe_unused]] auto token = barrier.arrive();  // and does not wait: a thread may have no CPU to arrive with
  const bool can_observe = out_of_the_way.has_own_cpu();
  if (!can_observe && options.snapshot_period_ns > 0)
    before.warnings.push_back("every CPU was measured, so none was left to take snapshots on");
  if (!can_observe && in_place->arm)
    before.warnings.push_back("every CPU was measured, so the tracer's consumer had to share one of them");
  const std::optional<std::string> starved_by =
      Supervision({threads, options, clock, before, observer, can_observe, halt}).wait();
  for (auto& thread : threads) thread->join();
  if (!launched) return launched.error();
  for (const auto& thread : threads) {
    if (thread->set_up_status() && thread->run() != nullptr) continue;
    if (starved_by) return core::Error{*starved_by, kStarvedHint, core::Exit::invalid};
    if (!thread->set_up_status()) return thread->set_up_status().error();
  }
  for (const auto& thread : threads)
    if (before.facts["interrupts_why"].empty()) before.facts["interrupts_why"] = thread->why_interrupts_on();
  auto waiting = waiting_measurement(options, clock, before, threads);
  if (!waiting) return waiting.error();
  auto measurement = measurement_of(options, clock, std::move(before), runs_of(threads), threads.front()->cost());
  if (!measurement) return measurement.error();
  measurement->waiting = std::move(*waiting);
  if (starved_by) mark_starved(*measurement, *starved_by);
  if (in_place->arm) close_books(*in_place->arm, threads, options, clock, measurement->phase);
  measurement->event_gaps = event_gap_phase(measurement->phase, clock, options, threads);
  if (options.trace_window_ns > 0 && !measurement->waiting) warn_of_none(measurement->phase, kWaitingWindows);
  if (options.max_event_hz > 0 && !measurement->event_gaps) warn_of_none(measurement->phase, kGapsWithATracepoint);
  return measurement;
}

}  // namespace maxlat::npt
