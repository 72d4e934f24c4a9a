// SPDX-License-Identifier: MIT
//
// Who looks for hardware latency, behind one interface. The back ends differ in what they can see, so every result
// names its back end and says what is not known:
//
//   tracer   the kernel's hwlat tracer: interrupts off, so what it finds is hardware or firmware. It tells one maximum
//   per
//            window and CPU, in whole microseconds, and only above the threshold.
//   loop     a real-time thread on each CPU that reads the counter: sees every gap, but interrupts and scheduling too.
//   An
//            upper bound.
#pragma once

#include <cstdint>
#include <functional>
#include <maxlat/core/cpu_list.hpp>
#include <maxlat/core/result.hpp>
#include <maxlat/core/run_result.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::hwlat {

struct Settings {
  core::CpuList cpus;
  uint64_t duration_ns = 120'000'000'000;  // 0: until a stop is requested
  uint64_t window_ns = 1'000'000'000;
  uint64_t width_ns = 0;  // of each window; 0: the back end's default. REQUIRES: <= window
  uint64_t threshold_ns = 10'000;
  size_t outliers = 100;  // kept per CPU
  int priority = 95;      // of the loop's threads, SCHED_FIFO
  uint64_t snapshot_period_ns = 0;
};

// One gap above the threshold.
struct Finding {
  double t_ns = 0;  // since the start of the phase
  unsigned cpu = 0;
  double inner_ns = 0;  // between two reads of one sample
  double outer_ns = 0;  // between two samples; the tracer tells the two apart
  uint64_t count = 1;   // gaps above the threshold in the window that it stands for
  uint64_t nmi_count = 0;
  double latency_ns() const { return inner_ns > outer_ns ? inner_ns : outer_ns; }
};

struct Measurement {
  core::Phase phase;              // kind "hwlat"
  std::vector<Finding> findings;  // in order of time; the loop keeps the largest `outliers` of each CPU
};

struct Observer {
  // Once a second, on the caller's thread.
  std::function<void(double elapsed_s)> on_second;
  // Each snapshot_period_ns: what is known so far.
  std::function<void(const Measurement&)> on_snapshot;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  virtual uint64_t default_width_ns() const = 0;
  // Why it cannot run here (Exit::cannot_run), or ok.
  virtual core::Status usable() const = 0;
  // Blocks until the duration is over or a stop is requested (core/stop.hpp).
  virtual core::Result<Measurement> measure(const Settings& settings, const Observer& observer) = 0;
};

}  // namespace maxlat::hwlat
