// SPDX-License-Identifier: MIT
#include "measuring_thread.hpp"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "counter_read.hpp"
#include "kernel_loop.hpp"
#include "loop_cost.hpp"
#include "probe.hpp"
#include "surroundings.hpp"

namespace maxlat::npt {
namespace {

// Thread-local storage lies in it too, and a sanitizer has half a megabyte of that.
constexpr size_t kStackBytes = 1024 * 1024;
constexpr size_t kTouchedStackBytes = 128 * 1024;

}  // namespace

core::Status MeasuringThread::launch() {
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  const int failure = ::pthread_create(
      &thread_, &attributes,
      [](void* self) -> void* {
        static_cast<MeasuringThread*>(self)->body();
        return nullptr;
      },
      this);
  ::pthread_attr_destroy(&attributes);
  if (failure != 0) return core::system_error("cannot start a measuring thread", failure);
  joinable_ = true;
  return {};
}

bool MeasuringThread::join_for(std::chrono::milliseconds time) {
  if (!joinable_) return true;
  timespec until{};
  ::clock_gettime(CLOCK_REALTIME,
                  &until);  // as the call wants it: a step of that clock makes one wait longer or shorter
  const int64_t ns = until.tv_nsec + std::chrono::nanoseconds(time).count();
  until.tv_sec += ns / 1'000'000'000;
  until.tv_nsec = ns % 1'000'000'000;
  if (::pthread_timedjoin_np(thread_, nullptr, &until) == 0) joinable_ = false;
  return !joinable_;
}

void MeasuringThread::join() {
  if (joinable_) ::pthread_join(thread_, nullptr);
  joinable_ = false;
}

core::Status MeasuringThread::become_real_time() {
  const core::Scheduling& scheduling = start_->plan->options.scheduling;
  return core::become_real_time_on(cpu_, scheduling, [&](core::Error error) {
    if (scheduling.policy == core::Policy::deadline && ::geteuid() == 0) {
      error.exit_status = core::Exit::cannot_run;
      error.hint = fmt::format(
          "a SCHED_DEADLINE thread on one CPU needs a root domain of that CPU alone: a cpuset partition with CPU {}; "
          "or measure with --policy fifo",
          cpu_);
    } else {
      error.hint += error.hint.empty() ? "--policy other measures without" : ", or measure without: --policy other";
    }
    return error;
  });
}

core::Status MeasuringThread::set_up() {
  thread_id_.store(static_cast<uint32_t>(::gettid()), std::memory_order_relaxed);
  const sigset_t signals = stop_signals();
  ::pthread_sigmask(start_->take_stop_signals ? SIG_UNBLOCK : SIG_BLOCK, &signals, nullptr);
  if (core::Status status = become_real_time(); !status) return status;
  if (core::Status status = set_up_interrupts(); !status) return status;
  core::touch_stack(kTouchedStackBytes);
  core::JournalSpec journal = start_->journal;
  journal.home = core::HomeCpu::of_this_thread(cpu_);
  if (start_->watch != nullptr) {
    journal.accounted = &start_->watch->gaps_of(cpu_);
    journal.accounted->watch(::gettid());
  }
  if (start_->plan->options.sensors) {
    if (auto sensors = CpuSensors::publish(cpu_, start_->plan->clock); sensors) {
      sensors_ = *std::move(sensors);
      journal.show = CpuSensors::show;
      journal.show_state = sensors_.get();
    } else {
      why_not_seen_ = sensors.error().text;
    }
  }
  owned_ = std::make_unique<CpuRun>(cpu_, journal, sensors_.get());
  warm_up_ = std::make_unique<CpuRun>(cpu_, without_limits(start_->journal));
  if (start_->plan->has_windows()) {
    waiting_ = std::make_unique<CpuRun>(cpu_, start_->journal);
    waiting_->journal.stay_on(journal.home);
  }
  if (start_->plan->limits_rate()) event_gaps_ = std::make_unique<base::Histogram>();
  if (start_->arm != nullptr)
    if (core::Status status = start_->arm->prepare_thread(); !status) return status;
  run_.store(owned_.get(), std::memory_order_release);  // pairs with the acquire in run(): the books are complete
  return {};
}

// Asked for by name, the kernel's loop must be there; turning interrupts off in user space is done where it can be.
core::Status MeasuringThread::set_up_interrupts() {
  const Options& options = start_->plan->options;
  if (options.allow_interrupts) return {};
  const bool reads_in_user_space = !start_->plan->reads_raw_clock() || raw_clock_is_in_user_space();
  core::Result<IrqoffDevice> device = IrqoffDevice::open();
  core::Status possible;
  if (!device)
    possible = device.error();
  else if (options.kernel_loop)
    irqoff_.emplace(std::move(*device));
  else if (!reads_in_user_space)
    possible = core::Error{"CLOCK_MONOTONIC_RAW is a system call here, and those turn interrupts on"};
  else if (possible = device->grant(); possible)
    irqoff_.emplace(std::move(*device));
  if (possible) return {};
  if (options.kernel_loop) return possible;
  why_interrupts_on_ = possible.error().text;
  start_->grant_failed->store(true, std::memory_order_relaxed);  // relaxed: the barrier orders it
  return {};
}

void MeasuringThread::body() {
  switch (start_->plan->counter) {
    case CounterRead::fenced:
      body_with(FencedCounter{});
      break;
    case CounterRead::plain:
      body_with(PlainCounter{});
      break;
    case CounterRead::ordered:
      body_with(OrderedCounter{});
      break;
    case CounterRead::raw_clock:
      body_with(RawClockCounter{});
      break;
  }
  if (start_->mark != nullptr && owned_) mark_the_break();
  if (start_->watch != nullptr && owned_)
    start_->watch->gaps_of(cpu_).end(std::max(owned_->end_ticks, waiting_ ? waiting_->end_ticks : 0));
  irqoff_.reset();
  finished_.store(true, std::memory_order_release);  // pairs with finished(): the books are complete
}

template <class Counter>
void MeasuringThread::body_with(Counter counter) {
  set_up_status_ = set_up();
  if (!set_up_status_) {
    start_->set_up_failed->store(true, std::memory_order_relaxed);  // relaxed: the barrier orders it
  } else if (measure_cost_) {
    cost_ = measure_loop_cost(counter, NoProbe{}, start_->plan->clock, start_->journal);
  }
  start_->barrier->arrive_and_wait();
  if (start_->set_up_failed->load(std::memory_order_relaxed)) return;

  const MeasurementPlan& plan = *start_->plan;
  if (plan.options.kernel_loop) {
    run_cpu_in_kernel([this](maxlat_irqoff_loop& piece) { return irqoff_->loop(piece); }, counter, Sleep{},
                      plan.options, plan.clock, *owned_);
  } else if (!plan.limits_rate()) {
    if (start_->arm == nullptr)
      run_loop(counter, NoProbe{});
    else
      run_arm(counter, CalledProbe{start_->arm->probe()});
  } else {
    RateLimit limit(plan.event_every_ticks, &event_gaps_->raw());
    if (start_->arm == nullptr)
      run_loop(counter, LimitedProbe<NoProbe>{{}, &limit});
    else
      run_arm(counter, LimitedProbe<CalledProbe>{{start_->arm->probe()}, &limit});
  }
}

// Behind the loop, where it disturbs no gap of this CPU.
void MeasuringThread::mark_the_break() const {
  const MeasurementPlan& plan = *start_->plan;
  for (const CpuRun* run : {owned_.get(), waiting_.get()}) {
    if (run == nullptr || run->journal.why() != core::Journal::Why::broken) continue;
    const core::Journal& journal = run->journal;
    start_->mark->strike(fmt::format("maxlat npt: a gap of {} ns, above {} ns, on CPU {}; it ended at {} of {}",
                                     plan.clock.to_ns(journal.breaking_gap()), plan.options.break_above_ns, cpu_,
                                     journal.breaking_time(),
                                     plan.reads_raw_clock() ? "CLOCK_MONOTONIC_RAW" : "the time-stamp counter"));
  }
}

// With interrupts off if every CPU of the run may have them off.
template <class Counter, class Probe>
void MeasuringThread::run_loop(Counter counter, Probe probe) {
  const MeasurementPlan& plan = *start_->plan;
  const Books books{*warm_up_, *owned_, waiting_.get()};
  if (!irqoff_ || start_->grant_failed->load(std::memory_order_relaxed)) {
    irqoff_.reset();
    run_cpu(counter, probe, Sleep{}, plan.options, plan.clock, books);
    return;
  }
  for (CpuRun* run : {owned_.get(), waiting_.get()})
    if (run != nullptr) run->journal.limit_stretch(plan.clock.to_ticks(kInterruptsOffStretch_ns));
  run_cpu(counter, probe, Sleep{}, plan.options, plan.clock, books, InterruptsOff{});
}

template <class Counter, class Probe>
void MeasuringThread::run_arm(Counter counter, Probe probe) {
  const maxlat_npt_probe arm = start_->arm->probe();
  arm.start(arm.state);
  run_loop(counter, probe);
  arm.stop(arm.state);
  events_ = probe.events(owned_->probes) + 2;
}

}  // namespace maxlat::npt
