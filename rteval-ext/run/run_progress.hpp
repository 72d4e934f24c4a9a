// SPDX-License-Identifier: MIT
//
// The run's progress: which step of how many, how much of it, and how long until the end of all.
#pragma once

#include <maxlat/core/sys/progress.hpp>
#include <string>
#include <vector>

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

}  // namespace maxlat::rteval_ext
