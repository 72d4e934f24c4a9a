// SPDX-License-Identifier: MIT
//
// npt as a library: the Non-Preempt Test (Beamonte 2015, section 4.1) on any number of CPUs.
//
// One thread per CPU is pinned there, made a real-time thread, and does nothing but read the counter and count the gap
// between two reads; anything that takes the CPU away or slows it down (interrupts, other threads, firmware, the
// hypervisor, in later arms a tracer) shows as a larger gap. All threads start together. Once the loop runs it makes no
// system call, takes no page fault and touches no memory that another thread writes (with Options::kernel_events: but
// for the few gaps that become outliers).
//
// WHAT IS IN A GAP: everything between two reads, this loop's own bookkeeping included (1 ns or so; measured at the
// start, LoopCost) and the arm's tracepoint. No time is left out: per CPU the sum of all gaps is the last read minus
// the first, except for the voluntary rests of Options::rest_ns, which are neither sample nor exposure, and the step
// from one window to the next (a microsecond).
//
// THREADS: measure() is for one caller at a time; it starts and joins its own threads. With the default policy it needs
// CAP_SYS_NICE, with lock_memory RLIMIT_MEMLOCK or CAP_IPC_LOCK.
//
// ERRORS: what the user can cause (no permission, no such CPU) is an Error. A measurement that was made and is not
// valid is a Measurement whose phase says so.
#pragma once

#include <cstdint>
#include <functional>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/histogram.hpp>
#include <maxlat/core/result/raw_gaps.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/realtime.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/npt/arm_spec.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::npt {

// See base/counter.h. raw_clock is CLOCK_MONOTONIC_RAW, which also takes over where the counter cannot be trusted.
enum class CounterRead { fenced, plain, ordered, raw_clock };

// The defaults are npt 1.01's; the command line, --help and the man page take them from here.
struct Options {
  core::CpuList cpus;            // empty: CPU 1, or the last one where there is no CPU 1
  uint64_t loops = 10'000'000;   // samples per CPU; 0: no limit
  uint64_t duration_ns = 0;      // wall time; 0: no limit. Without both only a signal ends it
  uint64_t uncounted_loops = 5;  // warm-up before the first sample
  core::Scheduling scheduling;   // SCHED_FIFO 99
  bool lock_memory = true;
  bool allow_interrupts = false;      // -i: do not even try to turn them off
  bool kernel_loop = false;           // the module's loop, in the kernel. REQUIRES: counter fenced, interrupts off
  bool trust_counter = false;         // also where it is not known to be invariant
  bool measure_counter_rate = false;  // -e: do not ask the kernel or CPUID
  CounterRead counter = CounterRead::fenced;
  uint64_t break_above_ns = 0;            // stop all CPUs at a gap above; 0: never
  std::optional<std::string> trace_mark;  // a gap above is marked in this instance of ftrace ("": ftrace's own), which
                                          // is then stopped. REQUIRES: break_above_ns
  size_t outliers = 20;                   // kept per CPU
  std::string kernel_events;              // records them by this back end (attribution/kernel_backend.hpp), and says
                                          // who had the outliers' time; "": does not
  bool sensors = false;                   // publishes the books while they grow: maxlat/npt-cpuN (docs/sensors.md)
  uint64_t raw_above_ns = 0;              // keeps every gap above, up to kMostRawGaps per CPU; 0: none
  uint64_t rest_ns = 0;                   // sleep in every second; keeps a loop below the RT throttling limit
  unsigned rest_parts = 1;                // in so many parts of equal length, evenly spread. REQUIRES: > 0
  std::string rest_why;                   // "" where the user asked for it
  uint64_t snapshot_period_ns = 0;        // how often Observer::on_snapshot is called; 0: never
  ArmSpec arm;
  double max_event_hz = 0;       // -f: tracepoints a second and CPU; 0: one in every turn
  uint64_t trace_window_ns = 0;  // tracepoints on for so long, then off for wait_window_ns. Both or none
  uint64_t wait_window_ns = 0;
  std::string trace_folder;  // keeps the arm's trace there; empty: it is removed when it has been checked
};

// 16 bytes each, touched before the run.
inline constexpr size_t kMostRawGaps = 1'000'000;

// What a turn of the loop costs, in an undisturbed stretch on the first CPU, before the run.
struct LoopCost {
  double bare_read_ns = 0;  // a loop that only reads the counter
  double loop_ns = 0;       // the measured loop, everything filed
};

struct CpuMeasurement {
  unsigned cpu = 0;
  base::Histogram histogram;  // of gaps, in ticks
  uint64_t samples = 0;       // counted by the loop, not by the histogram
};

// Phase::gaps of a run with windows or a limited rate, by which a comparison tells which phases belong together. They
// are also in its name: "npt (waiting windows)".
inline constexpr const char* kTracedWindows = "traced windows";
inline constexpr const char* kWaitingWindows = "waiting windows";
inline constexpr const char* kGapsWithATracepoint = "gaps with a tracepoint";

struct Measurement {
  base::CounterClock clock;
  core::Scheduling scheduling;
  LoopCost cost;
  std::vector<CpuMeasurement> cpus;  // in the order of the CPU list
  std::vector<core::RawGaps> raw;    // the same; empty unless asked for
  core::Phase phase;                 // kind "npt", status ok | invalid | interrupted
  bool limit_exceeded = false;       // a gap above break_above_ns ended it
  bool starved = false;              // another task kept the CPU, and the loop was given up (core/sys/starvation.hpp)
  bool left_cpu = false;             // a loop was on another CPU than its own (core/sys/home_cpu.hpp)
  // With windows: what was measured in the waiting windows, while the tracepoints were off. Everything above is then of
  // the traced windows, and so are the arm's events. Null without windows, and if the run ended before the first
  // waiting window.
  std::unique_ptr<Measurement> waiting;
  // With a limited rate: the gaps that contain a tracepoint, once more and by themselves, because they would be lost
  // among all gaps. They show the cost of an event that comes seldom, with cold caches. The arm "none" has them, too:
  // the same limiter picks out the same gaps, without a tracepoint in them.
  std::optional<core::Phase> event_gaps;
};

// Called on the caller's thread, which keeps off the measured CPUs; where every CPU is measured nothing is called
// before the end.
struct Observer {
  // Once a second: how far, and the largest gap so far.
  std::function<void(double elapsed_s, double max_ns)> on_second;
  // In Options::snapshot_period_ns: what is known so far, as a phase with status interrupted (if nothing comes after
  // it, that is what it was).
  std::function<void(const core::Phase&)> on_snapshot;
};

// What does not go together, without setting anything up; measure() begins with it.
core::Status check(const Options& options);

// ERRORS, beyond those above: an arm that cannot run here (Exit::cannot_run, the reason in its text).
core::Result<Measurement> measure(const Options& options, const Observer& observer = {});

// What to do about a loop that another task kept from its CPU.
inline constexpr const char* kStarvedHint = "end that task, or measure another CPU (-a)";

// The phase of an arm that cannot run here, or of a loop that never came to run.
core::Phase unmeasured_phase(const Options& options, const core::Error& reason);

// {1}, or the last online CPU where there is no CPU 1.
core::Result<core::CpuList> default_cpus();

// "fenced", "plain", "ordered", "raw-clock": as on the command line, and in facts.
const char* to_string(CounterRead counter);

}  // namespace maxlat::npt
