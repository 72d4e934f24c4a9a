// SPDX-License-Identifier: MIT
//
// The result file of a command that measures one phase: its frame, and at every write the phase as it is then.
#pragma once

#include <chrono>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/command.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <string>

namespace maxlat::scheduling {

class PhaseRecord {
 public:
  // Of `maxlat NAME ARGUMENTS`, which begins now. Without a path nothing is written.
  PhaseRecord(const std::string& path, const std::string& name, const core::Arguments& arguments,
              const core::CpuList& measured);

  // One that shows whether the measurement has ended: running, or by the phase's own status.
  core::Status write_running(core::Phase phase) { return write(std::move(phase), core::RunResult::State::running); }
  // `failed`: why the command ends with exit status 2, for the verdict; empty: it does not.
  core::Status write_ended(core::Phase phase, const std::string& failed = {});

 private:
  core::Status write(core::Phase phase, core::RunResult::State state);

  std::string path_, command_;
  core::RunResult run_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace maxlat::scheduling
