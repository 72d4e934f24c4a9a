// SPDX-License-Identifier: MIT
//
// One CPU's part of a measurement: from becoming a real-time thread there to the last sample.
#pragma once

#include <pthread.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <maxlat/attribution/kernel_watch.hpp>
#include <maxlat/attribution/trace_mark.hpp>
#include <maxlat/npt/arm.hpp>
#include <maxlat/npt/measure.hpp>
#include <memory>
#include <optional>
#include <string>

#include "cpu_run.hpp"
#include "ended_run.hpp"
#include "irqoff_device.hpp"
#include "measurement_plan.hpp"

namespace maxlat::npt {

// What the measuring threads share. Written before the barrier, read after it, but for the flags.
struct Start {
  const MeasurementPlan* plan = nullptr;
  core::JournalSpec journal;          // the plan's, with the flags that end it and the arm that it tells
  std::barrier<>* barrier = nullptr;  // all set up, or at least one failed
  std::atomic<bool>* set_up_failed = nullptr;
  std::atomic<bool>* grant_failed = nullptr;  // on one CPU: then all leave interrupts on, so that a run has one label
  bool take_stop_signals = false;             // no other CPU is left where the main thread could take them
  Arm* arm = nullptr;                         // null: none
  attribution::KernelWatch* watch = nullptr;  // accounts for the largest gaps; null: nobody does
  attribution::TraceMark* mark = nullptr;     // struck by a gap above the limit; null: nobody asked for it
};

// A thread with a stack that is small enough to be locked for each of many CPUs.
class MeasuringThread {
 public:
  // `measure_cost`: this one measures the loop's cost before the barrier.
  MeasuringThread(unsigned cpu, const Start& start, bool measure_cost)
      : cpu_(cpu), start_(&start), measure_cost_(measure_cost) {}
  MeasuringThread(MeasuringThread&&) = delete;
  ~MeasuringThread() { join(); }

  // ERRORS: no thread to be had. Then the barrier will not be complete: the caller arrives in its place.
  core::Status launch();
  void join();
  // Waits for its end for so long at most; whether it has ended.
  bool join_for(std::chrono::milliseconds time);

  // After the barrier; null when the set-up failed.
  const CpuRun* run() const {
    return run_.load(std::memory_order_acquire);
  }  // acquire: pairs with the release in set_up
  unsigned cpu() const { return cpu_; }
  // After join(). They stay here.
  EndedCpu books() const { return {run(), waiting_.get(), event_gaps_.get(), events_, thread_id()}; }
  // As soon as it runs; 0 before.
  uint32_t thread_id() const { return thread_id_.load(std::memory_order_relaxed); }  // relaxed: a number alone
  const core::Status& set_up_status() const { return set_up_status_; }
  const LoopCost& cost() const { return cost_; }
  // Why this CPU's interrupts could not be turned off; "" when they could, or nobody wanted to.
  const std::string& why_interrupts_on() const { return why_interrupts_on_; }
  // Why others do not see its books; "" when they do, or nobody wanted them to.
  const std::string& why_not_seen() const { return why_not_seen_; }
  bool finished() const { return finished_.load(std::memory_order_acquire); }
  // Also true of one that was never launched.
  bool ended() const { return !joinable_ || finished(); }

 private:
  void body();
  template <class Counter>
  void body_with(Counter counter);
  template <class Counter, class Probe>
  void run_arm(Counter counter, Probe probe);
  template <class Counter, class Probe>
  void run_loop(Counter counter, Probe probe);
  void mark_the_break() const;
  core::Status set_up();
  core::Status become_real_time();
  core::Status set_up_interrupts();

  unsigned cpu_;
  const Start* start_;
  bool measure_cost_;
  pthread_t thread_{};
  bool joinable_ = false;
  core::Status set_up_status_;
  LoopCost cost_;
  std::optional<IrqoffDevice> irqoff_;  // lives and dies on the measuring thread
  std::string why_interrupts_on_, why_not_seen_;
  // The memory comes from the thread itself, so that it is on the CPU's own memory node.
  std::unique_ptr<CpuSensors> sensors_;  // before the books that lie in it
  std::unique_ptr<CpuRun> owned_, warm_up_, waiting_;
  std::unique_ptr<base::Histogram> event_gaps_;
  uint64_t events_ = 0;
  std::atomic<uint32_t> thread_id_{0};
  std::atomic<const CpuRun*> run_{nullptr};
  std::atomic<bool> finished_{false};
};

}  // namespace maxlat::npt
