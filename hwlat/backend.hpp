// SPDX-License-Identifier: MIT
//
// Who looks for hardware latency, behind one interface. The back ends differ in what they can see, so every result
// names its back end and says what is not known. Each is a class, with a definition beside it, and a row in
// hwlat/CMakeLists.txt.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::hwlat {

// Who samples when. Only the module has more than the first.
enum class SamplingMode { per_cpu, round_robin, stop_machine };
const char* to_string(SamplingMode mode);  // "per-cpu", as on the command line

// Each window begins with `width` of sampling.
struct Sampling {
  uint64_t window_ns, width_ns;
};

struct Settings {
  core::CpuList cpus;
  uint64_t duration_ns = 120'000'000'000;  // 0: until a stop is requested
  uint64_t window_ns = 0;                  // 0: the back end's default (sampling_of)
  uint64_t width_ns = 0;                   // the same. REQUIRES: <= window
  uint64_t threshold_ns = 10'000;
  SamplingMode mode = SamplingMode::per_cpu;
  bool trust_counter = false;  // the loop takes a time-stamp counter that is not known to be invariant
  size_t outliers = 100;       // kept per CPU
  std::string kernel_events;   // who had the time of the outliers, by the kernel's events, which this back end records
                               // (attribution/kernel_backend.hpp); "": nobody asks. REQUIRES: interrupts on
  int priority = 95;           // of the loop's threads, SCHED_FIFO
  uint64_t snapshot_period_ns = 0;
};

// One gap above the threshold.
struct Finding {
  double t_ns = 0;  // since the start of the phase
  unsigned cpu = 0;
  double inner_ns = 0;  // between two reads of one sample
  double outer_ns = 0;  // between two samples; tracer and module tell the two apart
  double whole_ns = 0;  // inner and outer together; 0: not known
  uint64_t count = 1;   // gaps above the threshold in the window that it stands for
  uint64_t nmi_count = 0;
  std::optional<uint64_t> smi_count;  // of this gap; the module's alone
  bool upper_bound = false;           // interrupts and scheduling may be in it
  double latency_ns() const { return whole_ns > 0 ? whole_ns : inner_ns > outer_ns ? inner_ns : outer_ns; }
};

struct Measurement {
  core::Phase phase;              // kind "hwlat"
  std::vector<Finding> findings;  // in order of time; the loop keeps the largest `outliers` of each CPU
  // Samples above the threshold, by CPU, where the back end counts them one by one. Elsewhere the bins tell how many
  // there are at most: a bin may reach from below the threshold to above it.
  std::map<unsigned, uint64_t> above;
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
  virtual Sampling default_sampling() const = 0;
  // Why it cannot run here (Exit::cannot_run), or ok.
  virtual core::Status usable() const = 0;
  // What of complete settings it does not take (Exit::error), or ok.
  virtual core::Status takes(const Settings&) const { return {}; }
  // Blocks until the duration is over or a stop is requested (core/sys/stop.hpp).
  virtual core::Result<Measurement> measure(const Settings& settings, const Observer& observer) = 0;
};

struct BackendDefinition {
  std::string_view name;  // as --backend has it
  std::string_view what;  // one line for the help: what it can see
  bool interrupts_off;    // so what it finds is hardware or firmware; otherwise each finding is an upper bound
  bool samples_in_turn;   // has the modes besides per_cpu
  std::unique_ptr<Backend> (*make)();
};

std::vector<const BackendDefinition*> backend_rows();  // of CMakeLists.txt: what can tell more apart comes first

// hwlatdetect's, where only a width is asked for.
constexpr uint64_t kFallbackWindow_ns = 1'000'000'000;

// What is asked for, completed: with a window alone the back end's share of it, with a width alone hwlatdetect's window
// of one second.
Sampling sampling_of(const Settings& settings, const Backend& backend);

}  // namespace maxlat::hwlat
