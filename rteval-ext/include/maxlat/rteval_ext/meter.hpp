// SPDX-License-Identifier: MIT
//
// A meter is a program that measures: how it is started, how one sees that it has begun, and how its result is read.
// npt, hwlat and cyclictest are the same to everything else in this room: supervision, control, orchestrator, tests.
//
// A meter runs in a process of its own, so that a crash of it is a phase that failed and not a run that is lost, and so
// that the orchestrator's memory and threads do not disturb it.
#pragma once

#include <chrono>
#include <maxlat/attribution/kernel_watch.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/loadgen/control.hpp>
#include <maxlat/rteval_ext/phase_definition.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::rteval_ext {

// What every meter's threads run at: below the hog of the positive control (99) and the kernel's own migration and
// watchdog threads, above everything that a stock box runs.
constexpr int kMeterPriority = 95;
// After SIGINT a meter writes what it has; one that takes longer hangs.
constexpr std::chrono::seconds kTimeToWrite{30};

struct MeterJob {
  core::CpuList cpus;
  uint64_t duration_ns = 0;            // of a control: an upper limit; it is stopped by SIGINT
  bool control = false;                // stalls will be planted: keep every outlier, watch without a pause
  bool everywhere = false;             // cpus are all CPUs of the machine
  std::string json_path;               // where it writes its result
  std::vector<std::string> arguments;  // from the plan
  bool kernel_events = false;          // it says who had the time of its largest gaps, if it can
  std::vector<std::string> arms{};     // of a comparison of tracers, and for how many rounds of which length
  unsigned rounds = 0;
  uint64_t round_ns = 0;
  uint64_t seed = 0;  // of their order
};

// One object serves one job.
class Meter {
 public:
  virtual ~Meter() = default;

  virtual PhaseKind kind() const = 0;
  // ERRORS: Exit::cannot_run when the meter is not installed (hint: the package).
  virtual core::Result<core::ProcessSpec> command(const MeterJob& job) const = 0;
  // Every CPU of the job is being watched. Looks, does not wait. Only a control asks, before it plants stalls.
  virtual bool measuring(const core::Child& /*child*/, const MeterJob& /*job*/) const { return true; }
  // Of a program that is not ours, so that the orchestrator watches it by the kernel's events: its measuring threads.
  virtual std::optional<attribution::WatchedThreads> watched_threads() const { return {}; }
  // Called once a second while it runs.
  virtual void every_second(core::Child& /*child*/, const MeterJob& /*job*/, double /*elapsed_s*/) {}
  // The phase from what the meter left. Name, load and times are the caller's. ERRORS: it failed, or left nothing
  // whole.
  virtual core::Result<core::Phase> read(const MeterJob& job, const core::ProcessEnd& end) const = 0;
  // Which of the planted stalls are in the phase. Unless it says otherwise, none: it fails every control.
  virtual core::ControlResult match(const std::vector<loadgen::Stall>& /*stalls*/, const core::Phase& /*phase*/,
                                    double /*stated_error_ns*/) const {
    return {.meter = to_string(kind()), .stated_error_ns = 0, .stalls = {}};
  }
};

}  // namespace maxlat::rteval_ext
