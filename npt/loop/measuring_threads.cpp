// SPDX-License-Identifier: MIT
#include "measuring_threads.hpp"

#include <maxlat/core/sys/stop.hpp>
#include <memory>

namespace maxlat::npt {
namespace {

core::JournalSpec with_flags_and_arm(const MeasurementPlan& plan, std::atomic<bool>& halt, Arm* arm) {
  core::JournalSpec spec = plan.journal;
  spec.stop = &core::stop_requested();
  spec.halt = &halt;
  if (plan.options.arm.snapshot_above_ns == 0) return spec;
  spec.tell = [](void* told, uint64_t gap) { static_cast<Arm*>(told)->long_gap(gap); };
  spec.tell_state = arm;
  return spec;
}

}  // namespace

MeasuringThreads::MeasuringThreads(const MeasurementPlan& plan, Arm* arm, bool has_own_cpu,
                                   attribution::KernelWatch* watch, attribution::TraceMark* mark)
    : plan_(plan),
      has_own_cpu_(has_own_cpu),
      barrier_(static_cast<std::ptrdiff_t>(plan.options.cpus.size() + 1)),
      start_{&plan,
             with_flags_and_arm(plan, halt_, arm),
             &barrier_,
             &set_up_failed_,
             &grant_failed_,
             !has_own_cpu,
             arm,
             watch,
             mark} {
  for (const unsigned cpu : plan.options.cpus)
    threads_.push_back(std::make_unique<MeasuringThread>(cpu, start_, threads_.empty()));
}

core::Result<EndedRun> MeasuringThreads::run(const core::Phase& before, const Observer& observer) {
  const core::Status launched = launch();
  const std::optional<std::string> starved_by =
      Supervision({threads_, plan_, before, observer, has_own_cpu_, halt_}).wait();
  for (auto& thread : threads_) thread->join();
  if (!launched) return launched.error();
  if (core::Status set_up = check_set_up(starved_by); !set_up) return set_up.error();
  EndedRun run = ended();
  run.starved_by = starved_by;
  return run;
}

// One that cannot be launched is the last that is tried.
core::Status MeasuringThreads::launch() {
  core::Status launched;
  for (auto& thread : threads_) {
    if (launched) launched = thread->launch();
    if (launched) continue;
    set_up_failed_.store(true);
    [[maybe_unused]] auto token = barrier_.arrive();  // in place of the thread that is not there
  }
  [[maybe_unused]] auto token = barrier_.arrive();  // and does not wait: a thread may have no CPU to arrive with
  return launched;
}

core::Status MeasuringThreads::check_set_up(const std::optional<std::string>& starved_by) const {
  for (const auto& thread : threads_) {
    if (thread->set_up_status() && thread->run() != nullptr) continue;
    if (starved_by) return core::Error{*starved_by, kStarvedHint, core::Exit::invalid};
    if (!thread->set_up_status()) return thread->set_up_status().error();
  }
  return {};
}

EndedRun MeasuringThreads::ended() const {
  EndedRun run;
  for (const auto& thread : threads_) {
    run.cpus.push_back(thread->books());
    if (run.why_interrupts_on.empty()) run.why_interrupts_on = thread->why_interrupts_on();
    if (run.why_not_seen.empty()) run.why_not_seen = thread->why_not_seen();
  }
  run.cost = threads_.front()->cost();
  return run;
}

}  // namespace maxlat::npt
