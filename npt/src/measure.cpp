// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <maxlat/core/duration.hpp>
#include <maxlat/core/stop.hpp>
#include <maxlat/npt/measure.hpp>
#include <memory>
#include <optional>
#include <thread>

#include "interrupts.hpp"
#include "measuring_thread.hpp"
#include "phase_of_run.hpp"
#include "surroundings.hpp"
#include "throttling.hpp"

namespace maxlat::npt {
namespace {

using std::chrono::steady_clock;

constexpr uint64_t kStepNs = 1'000'000'000;
constexpr uint64_t kLookEveryNs = 100'000'000;
constexpr uint64_t kMaxSteps = 7 * 86'400;        // one week of seconds: 9.7 MB per CPU; longer runs get longer steps
constexpr uint64_t kStepsWithoutDuration = 3600;  // when only a loop count is known
constexpr auto kPollEvery = std::chrono::milliseconds(20);

core::Error fail(std::string text, std::string hint) {
  return {std::move(text), std::move(hint)};
}

core::Status check(const Options& options) {
  if (options.loops == 0 && options.duration_ns == 0)
    return fail("neither a loop count nor a duration", "give -l or -D");
  if (options.rest_ns >= kStepNs)
    return fail("the rest must be shorter than a second", "it is slept in each second, for example --rest 60ms");
  return {};
}

base::CounterClock choose_clock(const Options& options) {
  base::CounterClock clock = base::calibrate(options.measure_counter_rate);
  if (clock.trusted) return clock;
  base::CounterClock raw = base::clock_with_rate(1.0);
  raw.source = base::RateSource::monotonic_raw;
  raw.why = clock.why;
  return raw;
}

JournalSpec journal_spec(const Options& options, const base::CounterClock& clock, std::atomic<bool>& halt) {
  const uint64_t seconds =
      options.duration_ns == 0 ? kStepsWithoutDuration : (options.duration_ns + kStepNs - 1) / kStepNs;
  const uint64_t seconds_a_step = (seconds + kMaxSteps - 1) / kMaxSteps;
  JournalSpec spec;
  spec.step_ticks = clock.to_ticks(seconds_a_step * kStepNs);
  spec.steps = (seconds + seconds_a_step - 1) / seconds_a_step;
  spec.look_every_ticks = clock.to_ticks(kLookEveryNs);
  spec.duration_ticks = clock.to_ticks(options.duration_ns);
  spec.rest_ticks = clock.to_ticks(options.rest_ns);
  spec.break_above = options.break_above_ns == 0 ? UINT64_MAX : clock.to_ticks(options.break_above_ns);
  spec.outliers = options.outliers;
  spec.stop = &core::stop_requested();
  spec.halt = &halt;
  return spec;
}

struct Context {
  const Options& options;
  const base::CounterClock& clock;
  std::vector<std::unique_ptr<MeasuringThread>>& threads;
  core::Phase phase;  // what is known before the first sample
};

core::Phase snapshot(const Context& context, double elapsed_s) {
  core::Phase phase = context.phase;
  phase.status = core::PhaseStatus::interrupted;
  phase.reason = fmt::format("still running {} after its start", core::duration_text(elapsed_s));
  phase.duration_s = elapsed_s;
  phase.facts["snapshot"] = "taken while the loop ran: mean and deviation from bins, one outlier a second";
  for (const auto& thread : context.threads) {
    if (thread->run()->journal.steps() == 0) continue;  // still in its warm-up
    phase.per_cpu.push_back(cpu_snapshot_of(*thread->run(), context.clock, context.options.outliers));
    phase.exposure_s += phase.per_cpu.back().exposure_s;
  }
  return phase;
}

double max_so_far_ns(const Context& context) {
  uint64_t max = 0;
  for (const auto& thread : context.threads) {
    const Journal& journal = thread->run()->journal;
    for (size_t i = 0; i < journal.steps(); ++i) max = std::max(max, journal.step_max(i));
  }
  return context.clock.to_ns(static_cast<double>(max));
}

void observe_until_finished(const Context& context, const Observer& observer) {
  const auto start = steady_clock::now();
  const auto snapshot_period = std::chrono::nanoseconds(context.options.snapshot_period_ns);
  auto next_second = start + std::chrono::seconds(1);
  auto next_snapshot = start + snapshot_period;
  const auto running = [&] {
    return std::any_of(context.threads.begin(), context.threads.end(), [](const auto& t) { return !t->finished(); });
  };
  while (running()) {
    std::this_thread::sleep_for(kPollEvery);
    const auto now = steady_clock::now();
    const double elapsed_s = std::chrono::duration<double>(now - start).count();
    if (observer.on_second && now >= next_second) {
      observer.on_second(elapsed_s, max_so_far_ns(context));
      next_second += std::chrono::seconds(1);
    }
    if (observer.on_snapshot && snapshot_period.count() > 0 && now >= next_snapshot) {
      observer.on_snapshot(snapshot(context, elapsed_s));
      next_snapshot += snapshot_period;
    }
  }
}

void add_facts_before(core::Phase& phase, const Options& options, const base::CounterClock& clock) {
  auto& facts = phase.facts;
  const bool raw = clock.source == base::RateSource::monotonic_raw;
  facts["counter"] = raw ? "CLOCK_MONOTONIC_RAW" : to_string(options.counter);
  facts["counter_rate_source"] = base::to_string(clock.source);
  facts["counter_trust"] = clock.why;
  if (!raw) facts["counter_mhz"] = fmt::format("{:.3f}", clock.ticks_per_ns * 1e3);
  if (clock.error_ppm > 0) facts["counter_rate_error_ppm"] = fmt::format("{:.1f}", clock.error_ppm);
  if (raw)
    phase.warnings.push_back("the time-stamp counter is not trusted (" + clock.why + "): gaps of CLOCK_MONOTONIC_RAW");
  facts["policy"] = core::to_string(options.scheduling);
  facts["memory"] = options.lock_memory ? "locked" : "not locked";
  facts["uncounted_loops"] = fmt::format("{}", options.uncounted_loops);
  if (options.rest_ns != 0)
    facts["rest"] = fmt::format("{} asleep in each second, not counted as exposure",
                                core::duration_text(static_cast<double>(options.rest_ns) / 1e9));
}

void add_facts_after(core::Phase& phase, const std::vector<const CpuRun*>& runs, const LoopCost& cost) {
  uint64_t voluntary = 0, involuntary = 0, faults = 0, start_ns = UINT64_MAX;
  for (const CpuRun* run : runs) {
    voluntary += run->voluntary_switches;
    involuntary += run->involuntary_switches;
    faults += run->page_faults;
    start_ns = std::min(start_ns, run->start_monotonic_ns);
  }
  phase.facts["start_monotonic_ns"] = fmt::format("{}", start_ns);
  phase.facts["bare_read_ns"] = fmt::format("{:.2f}", cost.bare_read_ns);
  phase.facts["loop_cost_ns"] = fmt::format("{:.2f}", cost.loop_ns);
  phase.facts["involuntary_context_switches"] = fmt::format("{}", involuntary);
  phase.facts["voluntary_context_switches"] = fmt::format("{}", voluntary);
  phase.facts["page_faults_in_loop"] = fmt::format("{}", faults);
  if (faults > 0) phase.warnings.push_back(fmt::format("{} page faults within the loop", faults));
}

// Why the measurement is not valid; nothing when it is.
std::optional<std::string> why_invalid(const Options& options, const core::Phase& phase,
                                       const std::vector<const CpuRun*>& runs) {
  const core::RtThrottling settings = core::read_rt_throttling();
  for (size_t i = 0; i < runs.size(); ++i) {
    const ThrottlingEvidence evidence{options.scheduling.policy, settings, phase.duration_s,
                                      phase.per_cpu[i].timeline.max_ns, runs[i]->involuntary_switches};
    if (const auto reason = throttled(evidence)) return fmt::format("CPU {}: {}", runs[i]->cpu, *reason);
  }
  return {};
}

// Σ buckets = samples, and Σ gaps = time watched: the loop counted both without the histogram.
core::Status check_books(const CpuRun& run) {
  const uint64_t filed = run.histogram.total(), sum = run.histogram.raw().sum;
  if (filed == run.samples && sum == run.exposure_ticks) return {};
  return core::Error{
      fmt::format("CPU {}: the books do not balance: {} samples taken and {} filed, {} ticks watched and {} filed",
                  run.cpu, run.samples, filed, run.exposure_ticks, sum),
      "this is a defect of maxlat, or memory was overwritten: please report it", core::Exit::invalid};
}

core::Result<Measurement> finish(const Options& options, Context& context) {
  Measurement measurement{context.clock, context.threads.front()->cost(), {}, std::move(context.phase), false};
  core::Phase& phase = measurement.phase;
  std::vector<const CpuRun*> runs;
  for (const auto& thread : context.threads) runs.push_back(thread->run());
  bool enabled = true, stopped = false;
  for (const CpuRun* run : runs) {
    if (core::Status books = check_books(*run); !books) return books.error();
    phase.per_cpu.push_back(cpu_result_of(*run, context.clock));
    phase.exposure_s += phase.per_cpu.back().exposure_s;
    phase.duration_s = std::max(phase.duration_s,
                                context.clock.to_ns(static_cast<double>(run->end_ticks - run->journal.start())) / 1e9);
    measurement.cpus.push_back({run->cpu, run->histogram, run->samples});
    enabled = enabled && run->interrupts_enabled;
    stopped = stopped || run->journal.why() == Journal::Why::stopped;
    if (run->journal.why() == Journal::Why::broken) {
      measurement.limit_exceeded = true;
      phase.facts["break"] =
          fmt::format("a gap of {:.0f} ns on CPU {}, {:.0f} ns after the start",
                      context.clock.to_ns(static_cast<double>(run->journal.breaking_gap())), run->cpu,
                      context.clock.to_ns(static_cast<double>(run->journal.breaking_time() - run->journal.start())));
    }
    if (run->journal.timeline_full())
      phase.warnings.push_back(
          fmt::format("CPU {}: the last step of the timeline holds all that came after it", run->cpu));
  }
  add_facts_after(phase, runs, measurement.cost);
  const CliEffect effect = options.allow_interrupts ? CliEffect::not_permitted : try_cli();
  phase.facts["interrupts"] = interrupts_label(options.allow_interrupts, effect, enabled);
  phase.status = core::PhaseStatus::ok;
  if (stopped && !measurement.limit_exceeded) {
    phase.status = core::PhaseStatus::interrupted;
    phase.reason = fmt::format("stopped by a signal after {}", core::duration_text(phase.duration_s));
  }
  if (const auto reason = why_invalid(options, phase, runs)) {
    phase.status = core::PhaseStatus::invalid;
    phase.reason = *reason;
  }
  return measurement;
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
  }
  return "";
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
  auto locked = LockedMemory::lock(options.lock_memory);
  if (!locked) return locked.error();
  const OutOfTheWay out_of_the_way(options.cpus);

  std::atomic<bool> halt{false}, set_up_failed{false};
  std::barrier<> barrier(static_cast<std::ptrdiff_t>(options.cpus.size() + 1));
  const Start start{&options, &clock,         journal_spec(options, clock, halt),
                    &barrier, &set_up_failed, !out_of_the_way.has_own_cpu()};
  std::vector<std::unique_ptr<MeasuringThread>> threads;
  for (const unsigned cpu : options.cpus)
    threads.push_back(std::make_unique<MeasuringThread>(cpu, start, threads.empty()));
  core::Status launched;
  for (auto& thread : threads) {
    if (launched) launched = thread->launch();
    if (launched) continue;
    set_up_failed.store(true);
    [[maybe_unused]] auto token = barrier.arrive();  // in place of the thread that is not there
  }

  Context context{options, clock, threads, {}};
  context.phase.name = "npt";
  context.phase.kind = "npt";
  context.phase.arm = "none";
  context.phase.started = utc_now();
  add_facts_before(context.phase, options, clock);
  barrier.arrive_and_wait();
  const bool anything_to_see = observer.on_second || observer.on_snapshot;
  if (!set_up_failed.load() && out_of_the_way.has_own_cpu() && anything_to_see)
    observe_until_finished(context, observer);
  for (auto& thread : threads) thread->join();
  if (!launched) return launched.error();
  for (const auto& thread : threads)
    if (!thread->set_up_status()) return thread->set_up_status().error();
  return finish(options, context);
}

}  // namespace maxlat::npt
