// SPDX-License-Identifier: MIT
//
// What the calling thread does while the loops run: it tells the observer, and it makes loops end that have no CPU to
// end by themselves (core/sys/starvation.hpp).
//
// Where it has no CPU of its own it sleeps as long as it may: an ordinary thread that wants to run is what the fair
// server stops a loop for.
#pragma once

#include <atomic>
#include <chrono>
#include <maxlat/core/sys/starvation.hpp>
#include <maxlat/npt/measure.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measurement_plan.hpp"
#include "measuring_thread.hpp"

namespace maxlat::npt {

using Threads = std::vector<std::unique_ptr<MeasuringThread>>;

struct Supervised {
  const Threads& threads;
  const MeasurementPlan& plan;
  const core::Phase& before;  // phase_before()'s
  const Observer& observer;
  bool has_own_cpu;
  std::atomic<bool>& halt;  // ends all loops
};

class Supervision {
 public:
  explicit Supervision(const Supervised& supervised) : of_(supervised), watch_(planned_end()) {}

  // Until all have finished. Who kept a CPU from its loop, which was then given up; nothing when none did.
  std::optional<std::string> wait();

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<Clock::time_point> planned_end() const;
  bool observes() const { return of_.has_own_cpu && (of_.observer.on_second || of_.observer.on_snapshot); }
  MeasuringThread* first_unfinished() const;
  void pause(MeasuringThread& unfinished) const;
  void observe();

  const Supervised of_;
  const Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> observed_since_;
  Clock::time_point next_second_, next_snapshot_;
  core::StarvationWatch watch_;
};

}  // namespace maxlat::npt
