// SPDX-License-Identifier: MIT
//
// An arm while it runs: set up and torn down outside of the measured loop, called within it through its probe.
//
// LIFE    set_up() on the main thread, which keeps off the measured CPUs and has not yet locked memory;
//         prepare_thread() on each measuring thread, before all of them start; the loop calls probe();
//         finish() on the main thread when all have ended: stops, drains, reads back. ~Arm undoes what set_up() did,
//         also where finish() was never called. What neither can undo, because the process was killed, is in the
//         ArmFolder's journal.
// ERRORS  an arm that cannot run on this machine: Exit::cannot_run with the reason. A consumer that died, or a full
//         disk, is not an error: the counts then do not add up (Exit::invalid in the end).
#pragma once

#include <maxlat/npt/plugin.h>

#include <cstdint>
#include <map>
#include <maxlat/base/clock.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/npt/arm_spec.hpp>
#include <maxlat/npt/arm_tail.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::npt {

class ArmFolder;

struct ArmSurroundings {
  ArmSpec spec;
  base::CounterClock clock;
  core::CpuList measured_cpus;
  core::CpuList consumer_cpus;  // those that are not measured; all of them, where every one is
  std::string trace_folder;     // for the traces; the ArmFolder when nobody wants to keep them
  ArmFolder* folder = nullptr;  // npt/arms/arm_folder.hpp
};

// What became of the events.
struct ArmBooks {
  // recorded: read back from what the arm wrote. Absent for an arm that records nothing (usdt, delay).
  std::optional<core::EventCounts> events;
  std::string verified_by;  // how `recorded` was found, or "not verified: ..."
  std::string invalid;      // why the run is not valid, beyond counts that do not balance
  std::map<std::string, std::string> facts;
  std::vector<std::string> warnings;
  std::optional<ArmTail> tail;  // of an arm whose trace tells it
};

class Arm {
 public:
  virtual ~Arm() = default;
  virtual core::Status set_up(const ArmSurroundings& surroundings) = 0;
  virtual core::Status prepare_thread() { return {}; }
  // REQUIRES: set_up() succeeded.
  virtual maxlat_npt_probe probe() = 0;
  // One of the largest gaps so far was above ArmSpec::snapshot_above_ns. THREADS: those that measure, within the loop,
  // in the gap after: no lock, no system call.
  virtual void long_gap(uint64_t /*ticks*/) {}
  // CPU time so far of the processes that take the events away, or that look at sensors; the kernel tells it to 10 ms.
  // Absent: there are none.
  virtual std::optional<double> consumer_cpu_s() const { return {}; }
  virtual ArmBooks finish(const ArmRun& run) = 0;
};

// REQUIRES: !spec.is_none(). ERRORS: the arm is not in this build (Exit::cannot_run).
core::Result<std::unique_ptr<Arm>> make_arm(const ArmSpec& spec);

// Into the phase: counts, facts, warnings, and status invalid where a loss is not accounted for.
void enter_books(const ArmBooks& books, uint64_t produced, core::Phase& phase);

}  // namespace maxlat::npt
