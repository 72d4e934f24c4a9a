// SPDX-License-Identifier: MIT
#include "run_progress.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <maxlat/core/sys/duration.hpp>
#include <numeric>

namespace maxlat::rteval_ext {

void RunProgress::begin(size_t step, const std::string& name) {
  step_ = step;
  title_ = fmt::format("[{}/{}] {}", step + 1, expected_s_.size(), name);
  show(0);
}

void RunProgress::show(double elapsed_s, const std::string& more) {
  const double whole_s = std::max(expected_s_[step_], 1e-3);
  const double left_s = std::max(0.0, whole_s - elapsed_s);
  const auto after = expected_s_.begin() + static_cast<std::ptrdiff_t>(step_) + 1;
  const double all_left_s = left_s + std::accumulate(after, expected_s_.end(), 0.0);
  const std::string of_run =
      fmt::format("run: {} left{}{}", core::duration_text(std::round(all_left_s)), more.empty() ? "" : "; ", more);
  line_.show(title_, std::min(1.0, elapsed_s / whole_s), std::chrono::seconds(static_cast<long>(left_s + 0.5)), of_run);
}

}  // namespace maxlat::rteval_ext
