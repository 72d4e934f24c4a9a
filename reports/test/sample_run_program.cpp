// SPDX-License-Identifier: MIT
//
// Writes a run of test_runs.hpp as a result file, for tests and benchmarks that start from a file:
//
//   reports_sample_run typical FILE             every kind of phase, judged by limits, and one whose tail can be fitted
//   reports_sample_run single FILE              one phase, as a tool's --json
//   reports_sample_run tracers FILE             a comparison of tracers, as npt --compare writes it
//   reports_sample_run day FILE                 64 CPUs for 24 hours, 10^5 outliers
//   reports_sample_run large FILE CPUS PHASES   10^9 samples for each CPU of each phase
#include <cstdio>
#include <cstdlib>
#include <maxlat/reports/gate.hpp>
#include <string>

#include "test_runs.hpp"
#include "test_tail.hpp"

int main(int argc, char** argv) {
  using namespace maxlat;
  const std::string kind = argc > 2 ? argv[1] : "";
  core::RunResult run;
  std::vector<reports::Rule> rules;
  if (kind == "typical" && argc == 3) {
    run = reports::test::typical_run();
    run.phases.push_back(reports::test::hour_of_npt());
    run.phases.back().name = "npt for an hour";
    for (core::CpuResult& cpu : run.phases.back().per_cpu) {  // p99.9 apart from p50: both are drawn
      cpu.bins.front().count -= 100'000;
      cpu.bins.insert(cpu.bins.begin() + 1, {200, 201, 100'000});
      core::fill_statistics_from_bins(cpu);
    }
    rules = {{"*", "max_ns", 100e3}, {"cyclictest", "p99.99_ns", 100e3}, {"npt", "exposure_s", 20}};
  } else if (kind == "single" && argc == 3) {
    run = reports::test::single_phase_run();
  } else if (kind == "tracers" && argc == 3) {
    run = reports::test::tracer_run();
  } else if (kind == "day" && argc == 3) {
    run = reports::test::day_run();
  } else if (kind == "large" && argc == 5) {
    run =
        reports::test::large_run(static_cast<unsigned>(std::atoi(argv[3])), static_cast<unsigned>(std::atoi(argv[4])));
  } else {
    std::fputs("usage: reports_sample_run typical|single|tracers|day FILE, or large FILE CPUS PHASES\n", stderr);
    return 1;
  }
  run.verdict = reports::judge(run, rules);
  if (const auto written = core::write_run(argv[2], run); !written) {
    std::fprintf(stderr, "reports_sample_run: %s\n", written.error().text.c_str());
    return 1;
  }
  return 0;
}
