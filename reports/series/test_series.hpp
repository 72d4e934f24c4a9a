// SPDX-License-Identifier: MIT
//
// Small runs of one phase for the tests of series: a day apart, of one box unless told otherwise.
#pragma once

#include <fmt/format.h>

#include <string>

#include "test/test_runs.hpp"

namespace maxlat::reports::test {

inline std::string day_text(unsigned day) {
  return fmt::format("2026-{:02}-{:02}T02:00:00Z", 1 + day / 28, 1 + day % 28);
}

// All of its latencies are `scale` times those of the others.
inline core::RunResult nightly_run(unsigned day, double scale, const std::string& kernel = "6.12.1") {
  core::RunResult run;
  run.id = fmt::format("nightly-{}", day);
  run.tool = "maxlat 0.1.0";
  run.started = day_text(day);
  run.state = core::RunResult::State::complete;
  run.machine = {{"cpu", "c", {{"model name", "Model 1"}, {"possible", "0-1"}}},
                 {"kernel", kernel, {{"release", kernel}}},
                 {"kernel threads", fmt::format("{}", day), {{"number", fmt::format("{}", day)}}}};
  const double noise = 1 + 0.01 * ((day * 7) % 5);
  std::vector<core::Bin> bins;
  for (const auto& [ns, count] : {std::pair{1000.0, 900'000ULL}, {3000.0, 98'500ULL}, {9000.0, 1'500ULL}})
    bins.push_back({ns * scale * noise, ns * scale * noise * 1.01, count});
  run.phases = {phase_of("npt", "npt", 10, {cpu_from_bins(1, std::move(bins), 10)})};
  run.phases[0].arm = "none";
  return run;
}

}  // namespace maxlat::reports::test
