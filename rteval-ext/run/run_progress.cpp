// SPDX-License-Identifier: MIT
#include "run_progress.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <maxlat/core/result/culprit.hpp>
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

std::string progress_line(const core::Phase& phase) {
  if (phase.status != core::PhaseStatus::ok) return fmt::format("{}: {}", core::to_string(phase.status), phase.reason);
  if (phase.control) return "ok: " + core::to_string(core::counts_of(phase.control->stalls), " planted stalls");
  const core::CpuResult* worst = nullptr;
  for (const core::CpuResult& cpu : phase.per_cpu) {
    if (worst == nullptr || cpu.max_ns > worst->max_ns) worst = &cpu;
  }
  if (worst == nullptr) return "ok";
  const std::string culprit = core::culprit_words(phase);
  return fmt::format("ok: largest {} on CPU {}{}{}{}", core::latency_text(worst->max_ns), worst->cpu,
                     core::is_upper_bound(phase) ? ", an upper bound" : "", culprit.empty() ? "" : ": ", culprit);
}

std::vector<std::string> progress_lines(const StepResult& result) {
  if (result.comparisons.empty()) return {progress_line(result.phases.front())};
  std::vector<std::string> lines;
  for (const core::Comparison& comparison : result.comparisons)
    if (!comparison.beside) lines.push_back(comparison.verdict);
  for (const core::Phase& phase : result.phases)
    if (phase.status != core::PhaseStatus::ok) lines.push_back(phase.arm + ": " + progress_line(phase));
  return lines;
}

}  // namespace maxlat::rteval_ext
