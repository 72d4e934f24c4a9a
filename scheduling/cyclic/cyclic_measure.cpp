// SPDX-License-Identifier: MIT
#include "cyclic_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <maxlat/attribution/outlier_accounting.hpp>
#include <maxlat/base/moment.hpp>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/result/phase_start.hpp>
#include <maxlat/core/stats/cpu_books.hpp>
#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/starvation.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <memory>
#include <optional>

#include "wake_thread.hpp"

namespace maxlat::scheduling {
namespace {

using Clock = std::chrono::steady_clock;
constexpr uint64_t kSecond_ns = 1'000'000'000;
constexpr auto kLookEvery = std::chrono::milliseconds(20);
// From the moment when all threads are ready to the first time that they wait for.
constexpr uint64_t kUntilTheFirst_ns = 20'000'000;
// Of the timeline without a planned end: a day. What comes later is in its last step.
constexpr size_t kMostSteps = 86'400;

// The books are in nanoseconds.
const base::CounterClock& nanoseconds() {
  static const base::CounterClock clock = base::clock_with_rate(1);
  return clock;
}

core::JournalSpec journal_of(const CyclicSettings& settings, std::atomic<bool>& halt) {
  core::JournalSpec spec;
  spec.step_ticks = kSecond_ns;
  spec.steps = settings.duration_ns == 0 ? kMostSteps : (settings.duration_ns + kSecond_ns - 1) / kSecond_ns;
  spec.look_every_ticks = kSecond_ns / 10;
  spec.duration_ticks = settings.duration_ns;
  if (settings.break_above_ns != 0) spec.break_above = settings.break_above_ns;
  spec.outliers = settings.outliers;
  spec.stop = &core::stop_requested();
  spec.halt = &halt;
  return spec;
}

attribution::KernelWatching watch_kernel(const CyclicSettings& settings) {
  if (settings.kernel_events.empty()) return {};
  return attribution::watch_kernel({.cpus = settings.cpus,
                                    .watched = attribution::Watched::timer,
                                    .gaps_kept = settings.outliers,
                                    .backend = settings.kernel_events},
                                   base::calibrate());
}

class WakeRun {
 public:
  WakeRun(const CyclicSettings& settings, const CyclicObserver& observer, attribution::TraceMark* mark)
      : settings_(settings),
        observer_(observer),
        mark_(mark),
        kernel_(watch_kernel(settings)),
        start_{
            .settings = settings, .journal = journal_of(settings, halt_), .watch = kernel_.watch.get(), .mark = mark} {
    for (size_t i = 0; i < settings.cpus.size(); ++i)
      threads_.push_back(std::make_unique<WakeThread>(start_, settings.cpus[i], i, settings.cpus.size()));
    describe();
  }

  core::Result<CyclicRun> run();

 private:
  void describe();
  void prepare();
  void supervise();
  void let_go();
  void observe(Clock::time_point now);
  core::Status why_nothing() const;
  struct Totals {
    uint64_t missed = 0, first_break = UINT64_MAX;
    std::string why_left{};  // a CPU
  };
  void enter_cpu(const WakeBooks& books, CyclicRun& run, Totals& totals) const;
  void conclude(CyclicRun& run) const;
  core::Phase so_far() const;
  core::CpuResult figures_of(const WakeBooks& books, bool ended) const;
  bool all_finished() const {
    return std::all_of(threads_.begin(), threads_.end(), [](const auto& thread) { return thread->finished(); });
  }

  const CyclicSettings& settings_;
  const CyclicObserver& observer_;
  const attribution::TraceMark* const mark_;  // null: nobody asked for it
  attribution::KernelWatching kernel_;        // its threads keep off the measured CPUs as the calling one does
  std::atomic<bool> halt_{false};
  WakeStart start_;
  std::vector<std::unique_ptr<WakeThread>> threads_;
  core::Phase phase_;
  std::optional<core::DmaLatency> latency_;
  std::optional<std::string> starved_by_;
  std::optional<core::StarvationWatch> watch_;
  Clock::time_point begin_, next_second_, next_snapshot_;
  bool gone_ = false;
};

void WakeRun::describe() {
  phase_.name = phase_.kind = core::kCyclicKind.name;
  auto& facts = phase_.facts;
  facts["sample"] = "from the time that a thread slept until to the time that it reads when it runs";
  facts["timer"] = to_string(settings_.timer);
  facts[core::fact::kInterval] = core::duration_text(static_cast<double>(settings_.interval_ns) * 1e-9);
  facts["threads are due"] = settings_.aligned ? "at once" : "one after the other, spread over an interval";
  facts["policy"] = core::to_string(settings_.scheduling);
  facts["clock"] = "CLOCK_MONOTONIC";
  if (settings_.break_above_ns != 0)
    facts[core::fact::kLimit] = core::latency_text(static_cast<double>(settings_.break_above_ns));
  attribution::tell_of(kernel_, phase_);
}

// What a measurement wants and can do without.
void WakeRun::prepare() {
  if (const core::Status locked = core::lock_memory(); !locked) phase_.warnings.push_back(locked.error().text);
  if (!settings_.hold_latency) return;
  core::Result<core::DmaLatency> held = core::DmaLatency::hold(0);
  phase_.facts["idle states"] = held ? "/dev/cpu_dma_latency held at 0" : held.error().text;
  if (held) latency_.emplace(std::move(*held));
}

core::Result<CyclicRun> WakeRun::run() {
  prepare();
  for (const auto& thread : threads_) thread->launch();
  supervise();
  for (const auto& thread : threads_) thread->join();
  if (core::Status nothing = why_nothing(); !nothing) return nothing.error();
  CyclicRun run;
  run.phase = phase_;
  conclude(run);
  if (mark_ != nullptr) {
    run.phase.facts[core::fact::kTraceMark] = mark_->told();
    if (const std::string failure = mark_->failure(); !failure.empty()) run.phase.warnings.push_back(failure);
  }
  if (!kernel_.watch) return run;
  std::vector<std::vector<core::OutlierSample>> outliers;
  for (const auto& thread : threads_) outliers.push_back(thread->books().journal.outliers().largest_first());
  attribution::enter_accounting(kernel_.watch->finish(), outliers, run.phase);
  return run;
}

// Until all threads have finished.
void WakeRun::supervise() {
  std::optional<Clock::time_point> planned_end;
  if (settings_.duration_ns != 0) planned_end = Clock::now() + std::chrono::nanoseconds(settings_.duration_ns);
  watch_.emplace(planned_end);
  while (!all_finished()) {
    if (!gone_) let_go();
    std::this_thread::sleep_for(kLookEvery);
    const auto now = Clock::now();
    std::vector<core::WatchedLoop> watched;
    for (const auto& thread : threads_) watched.push_back(thread->watched());
    const bool stopping = core::stop_requested().load(std::memory_order_relaxed);  // relaxed: a flag alone
    if (auto who = watch_->look(watched, stopping, now)) {
      starved_by_ = std::move(who);
      halt_.store(true, std::memory_order_relaxed);  // relaxed: a flag that says stop; what it stops is joined
    }
    if (gone_) observe(now);
  }
}

// Once all of them are ready.
void WakeRun::let_go() {
  if (start_.ready.load(std::memory_order_acquire) != threads_.size()) return;  // acquire: what each found is complete
  start_.begin_at_ns = base::monotonic_ns() + kUntilTheFirst_ns;
  core::set_start(phase_, start_.begin_at_ns);
  begin_ = Clock::now();
  next_second_ = begin_ + std::chrono::seconds(1);
  next_snapshot_ = begin_ + std::chrono::nanoseconds(settings_.snapshot_period_ns);
  gone_ = true;
  start_.go.count_down();
}

void WakeRun::observe(Clock::time_point now) {
  if (observer_.on_second && now >= next_second_) {
    uint64_t max = 0;
    for (const auto& thread : threads_) max = std::max(max, thread->books().journal.largest_step_max());
    observer_.on_second(std::chrono::duration<double>(now - begin_).count(), static_cast<double>(max));
    next_second_ += std::chrono::seconds(1);
  }
  if (observer_.on_snapshot && settings_.snapshot_period_ns != 0 && now >= next_snapshot_) {
    observer_.on_snapshot(so_far());
    next_snapshot_ += std::chrono::nanoseconds(settings_.snapshot_period_ns);
  }
}

// Why there is no result, when there is none.
core::Status WakeRun::why_nothing() const {
  for (const auto& thread : threads_) {
    if (!thread->set_up() && !starved_by_) return thread->set_up().error();
    if (starved_by_ && thread->books().journal.steps() == 0)
      return core::Error{*starved_by_, "end that task, or measure other CPUs (-a)", core::Exit::invalid};
  }
  return {};
}

core::CpuResult WakeRun::figures_of(const WakeBooks& books, bool ended) const {
  const core::CpuBooks of_cpu{.cpu = books.cpu,
                              .histogram = books.histogram,
                              .journal = books.journal,
                              .exposure_ticks = books.last_ns.load(std::memory_order_relaxed) - books.journal.start(),
                              .time_zero = start_.begin_at_ns};
  return ended ? core::ended_cpu(of_cpu, nanoseconds()) : core::running_cpu(of_cpu, nanoseconds(), settings_.outliers);
}

core::Phase WakeRun::so_far() const {
  core::Phase phase = phase_;
  phase.status = core::PhaseStatus::interrupted;
  phase.reason = fmt::format("still running {} after its start", core::duration_text(core::seconds_since(begin_)));
  phase.facts["snapshot"] = "taken while the threads ran: mean and deviation from bins, one outlier a second";
  for (const auto& thread : threads_) {
    if (thread->books().journal.steps() == 0) continue;  // not begun: acquire, so what is read below is there
    phase.per_cpu.push_back(figures_of(thread->books(), false));
    phase.exposure_s += phase.per_cpu.back().exposure_s;
  }
  return phase;
}

void WakeRun::enter_cpu(const WakeBooks& books, CyclicRun& run, Totals& totals) const {
  core::Phase& phase = run.phase;
  phase.per_cpu.push_back(figures_of(books, true));
  const core::CpuResult& cpu = phase.per_cpu.back();
  phase.exposure_s += cpu.exposure_s;
  const uint64_t missed = books.missed.load(std::memory_order_relaxed);
  totals.missed += missed;
  const auto warn = [&](const char* what) { phase.warnings.push_back(fmt::format("CPU {}: {}", cpu.cpu, what)); };
  if (missed > cpu.samples)
    warn("more cycles were missed than measured: its thread hardly slept, and RT throttling may have stopped it");
  if (books.journal.timeline_full()) warn("what came after a day is in the last step of its time line");
  if (books.journal.why() == core::Journal::Why::stopped) {
    phase.status = core::PhaseStatus::interrupted;
    phase.reason = fmt::format("stopped after {}", core::duration_text(cpu.exposure_s));
  }
  if (!books.why_left.empty() && totals.why_left.empty())
    totals.why_left = core::watched_until_it_left(books.why_left, cpu.exposure_s);
  const uint64_t broke_at = books.journal.breaking_time();
  if (books.journal.why() != core::Journal::Why::broken || broke_at >= totals.first_break) return;
  totals.first_break = broke_at;
  run.limit_exceeded = true;
  phase.facts[core::fact::kBreak] = fmt::format("a wake-up {} late on CPU {}, {:.6f} s after the start",
                                                core::latency_text(static_cast<double>(books.journal.breaking_gap())),
                                                cpu.cpu, static_cast<double>(broke_at - start_.begin_at_ns) / 1e9);
}

void WakeRun::conclude(CyclicRun& run) const {
  core::Phase& phase = run.phase;
  phase.status = core::PhaseStatus::ok;
  Totals totals;
  for (const auto& thread : threads_) enter_cpu(thread->books(), run, totals);
  const bool no_planned_end = settings_.duration_ns == 0 && settings_.loops == UINT64_MAX;
  if (phase.status == core::PhaseStatus::interrupted && no_planned_end) {
    phase.status = core::PhaseStatus::ok;
    phase.facts["stopped by"] = "a signal: " + std::exchange(phase.reason, "");
  }
  phase.facts["missed cycles"] =
      totals.missed == 0 ? "none"
                         : core::counted(totals.missed, "cycle") + " without a sample, due while a thread was late";
  if (starved_by_ || !totals.why_left.empty()) {
    phase.status = core::PhaseStatus::invalid;
    phase.reason = starved_by_.value_or(totals.why_left);
  }
}

}  // namespace

core::Result<CyclicRun> measure_wakeups(const CyclicSettings& settings, const CyclicObserver& observer) {
  if (core::Status usable = core::require_usable(settings.cpus); !usable) return usable.error();
  const core::OffCpus off(settings.cpus);
  std::unique_ptr<attribution::TraceMark> mark;
  if (settings.trace_mark) {
    auto opened = attribution::TraceMark::open("/", *settings.trace_mark);
    if (!opened) return opened.error();
    mark = std::move(*opened);
  }
  core::Result<CyclicRun> run = WakeRun(settings, observer, mark.get()).run();
  if (run && !off.shares_them_because().empty()) run->phase.warnings.push_back(off.shares_them_because());
  return run;
}

}  // namespace maxlat::scheduling
