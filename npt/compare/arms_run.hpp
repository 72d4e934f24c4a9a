// SPDX-License-Identifier: MIT
//
// What --compare and --find-max-rate have in common: both start this executable again and again on one CPU, show how
// far they are, and end in one result with a phase for each arm.
#pragma once

#include <chrono>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/progress.hpp>
#include <string>
#include <vector>

#include "arm_process.hpp"
#include "command/options.hpp"

namespace maxlat::npt {

// Of starting a process, its clock and its books, before and after the loop; for "it will take".
inline constexpr double kAroundARun_s = 0.5;

// ERRORS: more than one CPU, or one that cannot be used.
core::Result<ArmProcess> arm_process(const NptArguments& arguments);

// How the arms of one command line are called: one that is asked for twice is "maxlat:timer (2)" the second time, so
// that each has a phase of its own name.
std::vector<std::string> numbered(const std::vector<std::string>& arms);

// "--wall-time=800000000ns"
std::string seconds_option(double seconds);

// Verdict from the phases, the text on the screen, the result in its file; and the exit status: an arm that could not
// run is told and is no failure of the others, unless `nothing_was_measured`. Screen and file are both tried: what was
// measured must not be lost because one disk is full.
core::Result<core::Exit> finish(core::RunResult& run, const std::string& text, const NptArguments& arguments,
                                bool nothing_was_measured);

// Progress over runs of the same length: the longer it goes on, the better it knows how long one takes.
class RunProgress {
 public:
  RunProgress(const char* what, bool quiet) : what_(what), progress_(quiet) {}
  void note(const std::string& line) { progress_.note(line); }
  void show(std::size_t done, std::size_t of, double expected_each_s, const std::string& more);

 private:
  const char* what_;
  core::Progress progress_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace maxlat::npt
