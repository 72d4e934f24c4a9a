// SPDX-License-Identifier: MIT
#include "supervision.hpp"

#include <signal.h>

#include <algorithm>
#include <maxlat/core/sys/stop.hpp>
#include <thread>

#include "measurement_of_runs.hpp"
#include "surroundings.hpp"

namespace maxlat::npt {
namespace {

constexpr auto kPollEvery = std::chrono::milliseconds(20);
constexpr auto kLookForStarvationEvery = std::chrono::milliseconds(250);

std::vector<core::WatchedLoop> loops_of(const Threads& threads) {
  std::vector<core::WatchedLoop> loops;
  for (const auto& thread : threads)
    loops.push_back({static_cast<int>(thread->thread_id()), thread->cpu(), thread->finished(),
                     thread->run() != nullptr && thread->run()->journal.steps() > 0});
  return loops;
}

double max_so_far_ns(const Runs& runs, const base::CounterClock& clock) {
  uint64_t max = 0;
  for (const CpuRun* run : runs) max = std::max(max, run->journal.largest_step_max());
  return clock.to_ns(static_cast<double>(max));
}

// The signals are blocked in the calling thread, and a measuring thread that starves does not take them either.
void take_pending_stop() {
  const sigset_t signals = stop_signals();
  const timespec at_once{};
  if (::sigtimedwait(&signals, nullptr, &at_once) > 0) core::request_stop();
}

// Null for those that are not set up.
Runs runs_so_far(const Threads& threads) {
  Runs runs;
  for (const auto& thread : threads) runs.push_back(thread->run());
  return runs;
}

}  // namespace

std::optional<std::string> Supervision::wait() {
  std::optional<std::string> starved_by;
  while (MeasuringThread* const unfinished = first_unfinished()) {
    pause(*unfinished);
    if (!of_.has_own_cpu) take_pending_stop();
    const bool stopping = core::stop_requested().load(std::memory_order_relaxed);  // relaxed: a flag alone
    if (auto who = watch_.look(loops_of(of_.threads), stopping, Clock::now())) {
      starved_by = std::move(who);
      of_.halt.store(true, std::memory_order_relaxed);  // relaxed: a flag that says stop; what it stops is joined
    }
    if (observes()) observe();
  }
  return starved_by;
}

std::optional<Supervision::Clock::time_point> Supervision::planned_end() const {
  const uint64_t duration_ns = of_.plan.options.duration_ns;
  if (duration_ns == 0) return {};
  return start_ + std::chrono::nanoseconds(duration_ns);
}

MeasuringThread* Supervision::first_unfinished() const {
  for (const auto& thread : of_.threads)
    if (!thread->ended()) return thread.get();
  return nullptr;
}

void Supervision::pause(MeasuringThread& unfinished) const {
  if (observes()) return std::this_thread::sleep_for(kPollEvery);
  const auto end = planned_end();
  const bool in_the_way = !of_.has_own_cpu && of_.plan.options.rest_ns == 0;
  if (!in_the_way || (end && Clock::now() >= *end))
    unfinished.join_for(kLookForStarvationEvery);
  else if (end)
    unfinished.join_for(std::chrono::ceil<std::chrono::milliseconds>(*end - Clock::now()));
  else
    unfinished.join();
}

void Supervision::observe() {
  const Runs runs = runs_so_far(of_.threads);
  if (std::find(runs.begin(), runs.end(), nullptr) != runs.end()) return;  // not all are set up
  const auto now = Clock::now();
  const std::chrono::nanoseconds snapshot_period(of_.plan.options.snapshot_period_ns);
  if (!observed_since_) {
    observed_since_ = now;
    next_second_ = now + std::chrono::seconds(1);
    next_snapshot_ = now + snapshot_period;
  }
  const double elapsed_s = std::chrono::duration<double>(now - *observed_since_).count();
  if (of_.observer.on_second && now >= next_second_) {
    of_.observer.on_second(elapsed_s, max_so_far_ns(runs, of_.plan.clock));
    next_second_ += std::chrono::seconds(1);
  }
  if (of_.observer.on_snapshot && snapshot_period.count() > 0 && now >= next_snapshot_) {
    of_.observer.on_snapshot(phase_snapshot(of_.before, of_.plan, runs, elapsed_s));
    next_snapshot_ += snapshot_period;
  }
}

}  // namespace maxlat::npt
