// SPDX-License-Identifier: MIT
//
// The run's progress: which step of how many, how much of it, and how long until the end of all; and what each has
// found, in a line or a few.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/progress.hpp>
#include <string>
#include <vector>

#include "meters/tracer_meter.hpp"

namespace maxlat::rteval_ext {

class RunProgress {
 public:
  // `expected_s` of each step that will run, in order.
  RunProgress(bool quiet, std::vector<double> expected_s) : line_(quiet), expected_s_(std::move(expected_s)) {}

  void begin(size_t step, const std::string& name);
  void show(double elapsed_s, const std::string& more = {});
  void note(const std::string& text) { line_.note(text); }

 private:
  core::Progress line_;
  std::vector<double> expected_s_;
  size_t step_ = 0;
  std::string title_;
};

// "ok: largest 45.2 us on CPU 1"
std::string progress_line(const core::Phase& phase);
// A comparison: its verdicts, and each arm that was not measured.
std::vector<std::string> progress_lines(const StepResult& result);

}  // namespace maxlat::rteval_ext
