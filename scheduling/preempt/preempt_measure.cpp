// SPDX-License-Identifier: MIT
#include "preempt_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <maxlat/attribution/outlier_accounting.hpp>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/histogram.hpp>
#include <maxlat/base/moment.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/result/phase_start.hpp>
#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/starvation.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <thread>

#include "delay_books.hpp"
#include "pair_threads.hpp"
#include "preempt_summary.hpp"

namespace maxlat::scheduling {
namespace {

using Clock = std::chrono::steady_clock;
using Promise = core::PolicyPair::Promise;

// Who must preempt has a second for it, as nobody waits in vain on a sound box. The others are given what preempting
// takes on a slow one, since each of their rounds lasts that long.
constexpr uint64_t kLimitOfMust_ns = 1'000'000'000, kLimitOfOthers_ns = 500'000;
// By how much the gap of the running thread may begin before the wake-up (round.hpp).
constexpr uint64_t kTolerance_ns = 5'000;
// On a slow machine (an emulated one) the threads get more time to get ready, up to so many times.
constexpr uint64_t kSlowest = 16;
// If no round has told anything by the end, there are more, up to so many: on a busy CPU SCHED_IDLE seldom runs.
constexpr uint64_t kMostInVain = 100;

bool stopped() {
  return core::stop_requested().load(std::memory_order_relaxed);  // relaxed: a flag alone
}

// Tried by a thread of its own: nothing of it stays.
core::Status may_be_real_time(int priority) {
  core::Status allowed;
  std::thread([&] { allowed = core::set_scheduling({.policy = core::Policy::fifo, .priority = priority}); }).join();
  if (allowed) return allowed;
  return core::cannot_run("preemption needs real-time policies: " + allowed.error().text, allowed.error().hint);
}

// Of SCHED_DEADLINE on one CPU, which root may not have either.
std::string refusal_of(const core::Error& error) {
  const bool no_right = error.exit_status == core::Exit::cannot_run;
  const std::string hint = no_right ? "on a single CPU it needs a cpuset partition of that CPU alone" : error.hint;
  return error.text + (hint.empty() ? "" : "; " + hint);
}

class PreemptionTest {
 public:
  explicit PreemptionTest(const PreemptSettings& settings)
      : settings_(settings),
        pairs_(pairs_of_policies(settings.priority)),
        clock_(base::calibrate()),
        start_(base::read_both(CLOCK_MONOTONIC)) {
    if (const core::Status locked = core::lock_memory(); !locked) phase_.warnings.push_back(locked.error().text);
    describe();
    core::set_start(phase_, start_.ns);
  }

  core::Result<core::Phase> run(const OnPair& on_pair);

 private:
  void describe();
  attribution::KernelWatching watch_kernel() const;
  core::Status run_cpu(unsigned cpu, const OnPair& on_pair);
  core::Result<core::PolicyPair> run_pair(unsigned cpu, const PairOfPolicies& pair, DelayBooks& books);
  void enter(const Round& round, const PairThreads& threads, core::PolicyPair& counts, base::Histogram& latencies,
             DelayBooks& books) const;
  void keep(const Round& round, const PairThreads& threads, const core::PolicyPair& pair, DelayBooks& books) const;
  core::CpuResult result_of(unsigned cpu, const DelayBooks& books) const;
  size_t pairs_in_all() const { return pairs_.size() * settings_.cpus.size(); }
  std::optional<Clock::time_point> end_of_share() const;
  std::string kept_by_another(const core::PolicyPair& pair, const core::Scheduling& thread) const;
  core::Phase so_far(unsigned cpu, const DelayBooks& books) const;

  const PreemptSettings& settings_;
  const std::vector<PairOfPolicies> pairs_;
  const base::CounterClock clock_;
  const base::Moment start_;
  const Clock::time_point begin_ = Clock::now();
  core::Phase phase_;
  attribution::KernelWatching kernel_{};
  std::vector<std::vector<core::OutlierSample>> kept_;  // of the CPUs that are done
  std::string cut_short_, advice_;                      // why no pair comes after this one, and what to do; "": nothing
};

void PreemptionTest::describe() {
  phase_.name = phase_.kind = core::kPreemptKind.name;
  auto& facts = phase_.facts;
  const auto promising = [&](Promise promise) {
    return std::count_if(pairs_.begin(), pairs_.end(), [&](const auto& pair) { return pair.promise == promise; });
  };
  facts["sample"] =
      "from the expiry of a timer to the first instruction of the thread that it wakes, in pairs that must preempt";
  facts["pairs of policies on each CPU"] = fmt::format("{} must preempt, {} must not, {} may", promising(Promise::must),
                                                       promising(Promise::must_not), promising(Promise::may));
  facts["counter"] = fmt::format("{:.3f} MHz, rate from {}", clock_.ticks_per_ns * 1e3, base::to_string(clock_.source));
  if (!clock_.trusted)
    phase_.warnings.push_back(
        "the latencies may be wrong, though not who preempted whom: the time-stamp counter cannot be trusted: " +
        clock_.why);
}

attribution::KernelWatching PreemptionTest::watch_kernel() const {
  if (settings_.kernel_events.empty()) return {};
  return attribution::watch_kernel({.cpus = settings_.cpus,
                                    .watched = attribution::Watched::preemption,
                                    .gaps_kept = DelayBooks::kKept,
                                    .backend = settings_.kernel_events},
                                   clock_);
}

core::Result<core::Phase> PreemptionTest::run(const OnPair& on_pair) {
  const core::OffCpus off(settings_.cpus);
  if (!off.shares_them_because().empty()) phase_.warnings.push_back(off.shares_them_because());
  kernel_ = watch_kernel();  // its threads keep off the measured CPUs as the calling one does
  attribution::tell_of(kernel_, phase_);
  for (const unsigned cpu : settings_.cpus) {
    if (core::Status measured = run_cpu(cpu, on_pair); !measured) return measured.error();
    if (!cut_short_.empty()) break;
  }
  if (kernel_.watch) attribution::enter_accounting(kernel_.watch->finish(), kept_, phase_);
  if (!cut_short_.empty()) {
    phase_.status = core::PhaseStatus::invalid;
    phase_.reason =
        fmt::format("{}; that was pair {} of {}{}", cut_short_, phase_.pairs.size(), pairs_in_all(), advice_);
  } else if (phase_.pairs.size() == pairs_in_all() && !stopped()) {
    conclude(phase_);
  } else {
    phase_.status = core::PhaseStatus::interrupted;
    phase_.reason = fmt::format("stopped after {}", core::counted(phase_.pairs.size(), "pair"));
  }
  return std::move(phase_);
}

core::Status PreemptionTest::run_cpu(unsigned cpu, const OnPair& on_pair) {
  DelayBooks books;
  for (const PairOfPolicies& pair : pairs_) {
    if (stopped() || !cut_short_.empty()) break;
    core::Result<core::PolicyPair> tried = run_pair(cpu, pair, books);
    if (!tried) return tried.error();
    phase_.pairs.push_back(std::move(*tried));
    if (on_pair)
      on_pair(so_far(cpu, books), static_cast<double>(phase_.pairs.size()) / static_cast<double>(pairs_in_all()));
  }
  phase_ = so_far(cpu, books);
  kept_.push_back(books.samples());
  return {};
}

core::CpuResult PreemptionTest::result_of(unsigned cpu, const DelayBooks& books) const {
  core::CpuResult result = core::cpu_result_from(cpu, books.latencies, clock_);
  result.exposure_s = clock_.to_ns(static_cast<double>(books.watched_ticks)) * 1e-9;
  for (const Delay& delay : books.largest)
    result.outliers.push_back({.t_ns = clock_.to_ns(static_cast<double>(delay.sample.time - start_.ticks)),
                               .latency_ns = clock_.to_ns(static_cast<double>(delay.sample.ticks)),
                               .cpu = cpu,
                               .cause = delay.pair});
  return result;
}

core::Phase PreemptionTest::so_far(unsigned cpu, const DelayBooks& books) const {
  core::Phase phase = phase_;
  phase.per_cpu.push_back(result_of(cpu, books));
  phase.exposure_s += phase.per_cpu.back().exposure_s;
  phase.status = core::PhaseStatus::interrupted;
  return phase;
}

// Of the time that is left each pair that is left gets as much as the others.
std::optional<Clock::time_point> PreemptionTest::end_of_share() const {
  if (settings_.duration_ns == 0) return {};
  const auto now = Clock::now();
  const auto left = begin_ + std::chrono::nanoseconds(settings_.duration_ns) - now;
  return now + left / static_cast<int64_t>(pairs_in_all() - phase_.pairs.size());
}

core::Result<core::PolicyPair> PreemptionTest::run_pair(unsigned cpu, const PairOfPolicies& pair, DelayBooks& books) {
  core::PolicyPair tried{.cpu = cpu,
                         .running = to_string(pair.running),
                         .woken = to_string(pair.woken),
                         .promise = pair.promise,
                         .latency = {}};
  PairThreads threads(cpu, pair, clock_);
  const core::Status started = threads.start();
  if (!started) {
    const core::Result<core::CpuList> online = core::online_cpus();
    if (online && !core::contains(*online, cpu)) {
      cut_short_ = fmt::format("CPU {} went offline", cpu);
      return tried;
    }
    // That this process may have the others is known by now.
    if (pair.woken.policy != core::Policy::deadline) return started.error();
    tried.refused = refusal_of(started.error());
    return tried;
  }
  const auto end = end_of_share();
  const auto enough = [&] {
    const bool broken = pair.promise == Promise::must && tried.waited > 0;  // each such round takes a second
    const bool in_time = !end || Clock::now() < *end;
    const bool as_asked = tried.rounds >= settings_.loops.value_or(UINT64_MAX) || (tried.rounds > 0 && !in_time);
    const bool in_vain = tried.rounds == tried.untold && tried.rounds < kMostInVain;
    return broken || stopped() || (as_asked && !in_vain);
  };
  PairThreads::Pace pace{pair.promise == Promise::must ? kLimitOfMust_ns : kLimitOfOthers_ns};
  base::Histogram latencies;
  while (!threads.starved() && threads.left().empty() && !enough()) {
    const std::optional<Round> round = threads.round(pace);
    if (!round || (stopped() && !round->ended())) break;
    enter(*round, threads, tried, latencies, books);
    const bool not_ready = round->spin_begin >= round->wake;
    if (not_ready) pace.slowness = std::min(pace.slowness * 2, kSlowest);
  }
  if (const auto thread = threads.starved_at_real_time()) {
    cut_short_ = kept_by_another(tried, *thread);
    advice_ = "; end that task, or test other CPUs";
  }
  if (!threads.starved() && !threads.left().empty()) cut_short_ = threads.left();
  if (tried.preempted > 0) {
    const core::CpuResult figures = core::cpu_result_from(cpu, latencies, clock_);
    tried.latency = {.min_ns = figures.min_ns, .median_ns = core::quantile_of(figures, 0.5), .max_ns = figures.max_ns};
  }
  if (pair.promise == Promise::must) books.latencies.merge(latencies);
  return tried;
}

void PreemptionTest::enter(const Round& round, const PairThreads& threads, core::PolicyPair& counts,
                           base::Histogram& latencies, DelayBooks& books) const {
  ++counts.rounds;
  switch (judge(round, clock_.to_ticks(kTolerance_ns))) {
    case RoundOutcome::waited:
      ++counts.waited;
      return;
    case RoundOutcome::untold:
      ++counts.untold;
      return;
    case RoundOutcome::preempted:
      break;
  }
  ++counts.preempted;
  latencies.record(latency_of(round), round.first);
  if (counts.promise == Promise::must) keep(round, threads, counts, books);
}

// Its time is accounted for where that is asked for.
void PreemptionTest::keep(const Round& round, const PairThreads& threads, const core::PolicyPair& pair,
                          DelayBooks& books) const {
  books.watched_ticks += round.after - round.spin_begin;
  const core::OutlierSample sample{.ticks = latency_of(round), .time = round.first};
  if (!books.keep({sample, fmt::format("{} over {}", pair.woken, pair.running)})) return;
  if (!kernel_.watch || sample.ticks == 0) return;
  kernel_.watch->gaps_of(pair.cpu).ask({.ticks = sample.ticks,
                                        .end = sample.time,
                                        .thread = threads.woken_thread(),
                                        .partner = threads.running_thread()});
}

std::string PreemptionTest::kept_by_another(const core::PolicyPair& pair, const core::Scheduling& thread) const {
  const auto task = core::task_that_has(pair.cpu);
  return fmt::format("{}: the {} thread got no CPU{}", shown_name(pair), core::to_string(thread),
                     task ? fmt::format(", which {} keeps", core::to_string(*task)) : "");
}

}  // namespace

core::Result<core::Phase> measure_preemption(const PreemptSettings& settings, const OnPair& on_pair) {
  if (const core::Status allowed = may_be_real_time(settings.priority); !allowed) return allowed.error();
  return PreemptionTest(settings).run(on_pair);
}

}  // namespace maxlat::scheduling
