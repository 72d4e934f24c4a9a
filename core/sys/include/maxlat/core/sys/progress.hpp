// SPDX-License-Identifier: MIT
//
// A progress line on stderr: rewritten in place on a terminal, a plain line every ten seconds elsewhere, nothing with
// -q.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace maxlat::core {

class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();  // ends the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // "[3/8] cyclictest under load  41 %  00:12 left, 02:03 in all"
  void show(std::string_view what, double done_fraction, std::chrono::seconds left, std::string_view more = {});
  // A line that stays.
  void note(std::string_view line);

 private:
  void clear_line();
  bool quiet_, terminal_, line_open_ = false;
  std::chrono::steady_clock::time_point last_plain_{};
};

}  // namespace maxlat::core
