// SPDX-License-Identifier: MIT
//
// What `maxlat trace record` was asked for, turned once into what the recording needs. It is made before anything is
// started and does not change any more.
#pragma once

#include <chrono>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernel/kernel_recording.hpp"
#include "recording.hpp"

namespace maxlat::trace_tools {

// INVARIANT  either `program` or `command`, never both; none only where the kernel's events are recorded.
struct RecordPlan {
  RecordingOptions recording;
  std::optional<KernelPlan> kernel;
  bool of_programs = true;  // false: of the kernel alone, and the command runs untraced
  bool names_programs = false;  // -e names events of programs, beside the kernel's
  std::optional<std::chrono::nanoseconds> duration;
  std::optional<int> program;        // that runs and listens
  std::vector<std::string> command;  // to start

  const std::string& directory() const { return recording.recorder.directory; }
};

// ERRORS: options that are missing, wrong, or do not go together; no such program.
core::Result<RecordPlan> make_record_plan(const core::CommandLine& line);

}  // namespace maxlat::trace_tools
