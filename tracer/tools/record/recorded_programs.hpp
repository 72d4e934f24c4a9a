// SPDX-License-Identifier: MIT
//
// Whose events are recorded: a command and every traced program that it starts, each of which calls home, or one
// program that runs. From the first call until nothing is left to record.
#pragma once

#include <chrono>
#include <cstddef>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/core/sys/signal_descriptor.hpp>
#include <maxlat/trace/session.hpp>
#include <optional>

#include "command_process.hpp"
#include "record_plan.hpp"
#include "recording.hpp"

namespace maxlat::trace_tools {

struct EndOfPrograms {
  std::size_t refused = 0;         // programs that called and are not recorded
  std::optional<int> exit_status;  // of a command that ended by itself
};

class RecordedPrograms {
 public:
  // ERRORS: no program of that number listens or it refuses, the command cannot be started.
  static core::Result<RecordedPrograms> start(const RecordPlan& plan, Recording& recording);
  // One loop over everything that can happen: until the command and everything that called have ended, or somebody
  // wants the end. Ends the recording, then what is left of the command.
  // `kernel`: null: its events are not recorded.
  EndOfPrograms record_until_the_end(Recording& recording, const core::SignalDescriptor& snapshot_signal,
                                     KernelRecording* kernel);

 private:
  using Clock = std::chrono::steady_clock;
  RecordedPrograms() = default;
  std::size_t take_calls(Recording& recording, const core::SignalDescriptor& snapshot_signal, KernelRecording* kernel);
  bool take_call(Recording& recording);
  int poll_timeout() const;
  bool is_time_over() const { return end_ && Clock::now() >= *end_; }

  std::optional<trace::ControlListener> listener_;
  std::optional<CommandProcess> command_;
  std::string command_name_;
  bool until_stopped_ = false;  // there is neither a command nor a program whose end would be the recording's
  std::optional<Clock::time_point> end_;
};

}  // namespace maxlat::trace_tools
