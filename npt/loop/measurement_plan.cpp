// SPDX-License-Identifier: MIT
#include "measurement_plan.hpp"

#include <algorithm>
#include <cmath>

namespace maxlat::npt {
namespace {

constexpr uint64_t kStepNs = 1'000'000'000;
constexpr uint64_t kLookEveryNs = 100'000'000;
constexpr uint64_t kMaxSteps = 7 * 86'400;  // one week of seconds: 9.7 MB per CPU; longer runs get longer steps
constexpr uint64_t kMostSteps = 4 * kMaxSteps;
constexpr uint64_t kStepsWithoutDuration = 3600;  // when only a loop count is known
constexpr uint64_t kStepsUntilStopped = 86'400;   // when nothing but a signal ends it

core::Error does_not_fit(std::string text, std::string hint) {
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

core::JournalSpec journal_of(const Options& options, const base::CounterClock& clock) {
  const uint64_t seconds = options.duration_ns != 0 ? (options.duration_ns + kStepNs - 1) / kStepNs
                           : options.loops != 0     ? kStepsWithoutDuration
                                                    : kStepsUntilStopped;
  // A rest is taken in each step, and it must be each second: after four weeks the last step holds what is left.
  const uint64_t seconds_a_step = options.rest_ns > 0 ? 1 : (seconds + kMaxSteps - 1) / kMaxSteps;
  core::JournalSpec spec;
  spec.step_ticks = clock.to_ticks(seconds_a_step * kStepNs);
  spec.steps = std::min((seconds + seconds_a_step - 1) / seconds_a_step, kMostSteps);
  spec.look_every_ticks = clock.to_ticks(kLookEveryNs);
  spec.duration_ticks = clock.to_ticks(options.duration_ns);
  spec.rest_every_ticks = clock.to_ticks(kStepNs) / options.rest_parts;
  spec.rest_ticks = clock.to_ticks(options.rest_ns) / options.rest_parts;
  if (options.break_above_ns != 0) spec.break_above = clock.to_ticks(options.break_above_ns);
  spec.outliers = options.outliers;
  if (options.raw_above_ns != 0) {
    spec.raw_above = clock.to_ticks(options.raw_above_ns);
    spec.raw_room = kMostRawGaps;
  }
  if (options.arm.snapshot_above_ns != 0) spec.tell_above = clock.to_ticks(options.arm.snapshot_above_ns);
  return spec;
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
    return does_not_fit("the loop in the kernel has interrupts off and reads the counter fenced",
                        "leave out what asks for something else, or --kernel-loop");
  if (options.raw_above_ns != 0 && (options.kernel_loop || options.trace_window_ns != 0))
    return does_not_fit("the raw gaps are those of one loop in user space",
                        "leave out --raw, or --kernel-loop and the windows");
  if (!options.kernel_events.empty() && (options.kernel_loop || options.trace_window_ns != 0))
    return does_not_fit("the kernel's events explain the gaps of one loop in user space",
                        "leave out --kernel-events, or --kernel-loop and the windows");
  if (options.rest_ns >= kStepNs)
    return does_not_fit("the rest must be shorter than a second",
                        "it is slept in each second, for example --rest 60ms");
  if ((options.trace_window_ns == 0) != (options.wait_window_ns == 0))
    return does_not_fit("a trace window needs a wait window, and a wait window a trace window",
                        "give both --trace-window and --wait-window: they take turns");
  return {};
}

core::Result<core::CpuList> default_cpus() {
  auto usable = core::assignable_cpus();
  if (!usable) return usable.error();
  if (core::contains(*usable, 1)) return core::CpuList{1};
  return core::CpuList{usable->back()};
}

MeasurementPlan plan_by(const base::CounterClock& clock, const Options& options) {
  MeasurementPlan plan;
  plan.options = options;
  plan.clock = clock;
  plan.counter = clock.source == base::RateSource::monotonic_raw ? CounterRead::raw_clock : options.counter;
  plan.journal = journal_of(options, clock);
  if (plan.limits_rate())
    plan.event_every_ticks = static_cast<uint64_t>(std::ceil(clock.ticks_per_ns * 1e9 / options.max_event_hz));
  return plan;
}

core::Result<MeasurementPlan> make_plan(const Options& asked) {
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
  return plan_by(clock, options);
}

}  // namespace maxlat::npt
