// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <maxlat/core/result/run_result.hpp>
#include <string>
#include <vector>

#include "test_run.hpp"

namespace maxlat::core {
namespace {

std::string error_after(const std::function<void(RunResult&, CpuResult&)>& change) {
  RunResult run = example_run();
  change(run, run.phases[1].per_cpu[0]);
  const Status status = validate(run);
  return status ? "valid" : status.error().text;
}

TEST(Validate, ExampleIsValid) {
  EXPECT_EQ(error_after([](RunResult&, CpuResult&) {}), "valid");
}

TEST(Validate, BinsAndOverflowAreAllSamples) {
  EXPECT_NE(error_after([](RunResult&, CpuResult& cpu) { cpu.samples += 1; }), "valid");
  EXPECT_NE(error_after([](RunResult&, CpuResult& cpu) { cpu.overflow_count += 1; }), "valid");
  EXPECT_NE(error_after([](RunResult&, CpuResult& cpu) { cpu.bins.pop_back(); }), "valid");
  // Counts that wrap around to the right sum.
  EXPECT_NE(error_after([](RunResult&, CpuResult& cpu) {
              cpu.bins.push_back({61, 62, std::numeric_limits<uint64_t>::max()});
              cpu.bins.push_back({62, 63, 1});
            }),
            "valid");
}

TEST(Validate, BinsAscendAndDoNotOverlap) {
  EXPECT_NE(error_after([](RunResult&, CpuResult& cpu) { std::swap(cpu.bins[0], cpu.bins[1]); }), "valid");
  EXPECT_NE(error_after([](RunResult&, CpuResult& cpu) { cpu.bins[0].high_ns += 0.01; }), "valid");
  EXPECT_NE(error_after([](RunResult&, CpuResult& cpu) { cpu.bins[0].high_ns = cpu.bins[0].low_ns; }), "valid");
  EXPECT_NE(error_after([](RunResult&, CpuResult& cpu) { cpu.bins.push_back({70, 71, 0}); }), "valid");
}

TEST(Validate, EmptyPhaseIsNeverOk) {
  for (const char* kind : {"npt", "cyclictest", "hwlat", "tracer"}) {
    EXPECT_EQ(error_after([&](RunResult& run, CpuResult&) {
                run.phases[1].per_cpu.clear();
                run.phases[1].kind = kind;
              }),
              "phase \"npt under load\": it is ok without a sample");
  }
  EXPECT_NE(error_after([](RunResult& run, CpuResult&) { run.phases[1].per_cpu = {CpuResult{}}; }), "valid");
  for (const char* kind : {"preflight", "control", "load", "report"}) {
    EXPECT_EQ(error_after([&](RunResult& run, CpuResult&) {
                run.phases[1].per_cpu.clear();
                run.phases[1].paths.clear();
                run.phases[1].kind = kind;
              }),
              "valid");
  }
}

TEST(Validate, EveryNumberIsFinite) {
  const std::vector<std::function<double&(RunResult&, CpuResult&)>> numbers = {
      [](RunResult&, CpuResult& cpu) -> double& { return cpu.exposure_s; },
      [](RunResult&, CpuResult& cpu) -> double& { return cpu.mean_ns; },
      [](RunResult&, CpuResult& cpu) -> double& { return cpu.stddev_ns; },
      [](RunResult&, CpuResult& cpu) -> double& { return cpu.quantiles_ns[1].second; },
      [](RunResult&, CpuResult& cpu) -> double& { return cpu.bins.back().high_ns; },
      [](RunResult&, CpuResult& cpu) -> double& { return cpu.overflow[0].latency_ns; },
      [](RunResult&, CpuResult& cpu) -> double& { return cpu.outliers[1].t_ns; },
      [](RunResult& run, CpuResult&) -> double& { return run.phases[1].per_cpu[1].outliers[1].events[0].t_ns; },
      [](RunResult&, CpuResult& cpu) -> double& { return cpu.timeline.max_ns[0]; },
      [](RunResult& run, CpuResult&) -> double& { return run.phases[1].duration_s; },
      [](RunResult& run, CpuResult&) -> double& { return run.phases[1].load[0].progress[0]; },
      [](RunResult& run, CpuResult&) -> double& { return run.phases[1].control->stalls[0].found_ns; },
  };
  for (size_t i = 0; i < numbers.size(); ++i) {
    for (const double value : {std::nan(""), HUGE_VAL}) {
      EXPECT_NE(error_after([&](RunResult& run, CpuResult& cpu) { numbers[i](run, cpu) = value; }), "valid") << i;
    }
  }
}

// Each passed a gate.
TEST(Validate, FiguresDoNotContradictTheirBins) {
  using Change = std::function<void(RunResult&, CpuResult&)>;
  const std::vector<std::pair<Change, const char*>> lies = {
      {[](RunResult&, CpuResult& cpu) { cpu.max_ns = -1; }, "is negative"},
      {[](RunResult&, CpuResult& cpu) { cpu.min_ns = -1; }, "is negative"},
      {[](RunResult&, CpuResult& cpu) { cpu.exposure_s = -1; }, "is negative"},
      {[](RunResult&, CpuResult& cpu) { cpu.stddev_ns = -1; }, "is negative"},
      {[](RunResult&, CpuResult& cpu) { cpu.bins[0].low_ns = -1; }, "is negative"},
      {[](RunResult&, CpuResult& cpu) { cpu.timeline.max_ns[1] = -1; }, "is negative"},
      {[](RunResult& run, CpuResult&) { run.phases[1].duration_s = -1; }, "is negative"},
      {[](RunResult&, CpuResult& cpu) { cpu.max_ns = 59; }, "the maximum 59 ns is not in the last bin"},
      {[](RunResult& run, CpuResult&) { run.phases[2].per_cpu[0].max_ns = 61; }, "the maximum 61 ns is not in the"},
      {[](RunResult&, CpuResult& cpu) { cpu.min_ns = 10; }, "the minimum 10 ns is above the first bin"},
      {[](RunResult&, CpuResult& cpu) { cpu.mean_ns = 9; }, "the mean 9 ns is not between"},
      {[](RunResult& run, CpuResult&) { run.phases[2].per_cpu[0].mean_ns = 61; }, "the mean 61 ns is not between"},
      {[](RunResult&, CpuResult& cpu) { cpu.quantiles_ns[0].second = 9.7; }, "p99.9999 is below the quantile before"},
      {[](RunResult&, CpuResult& cpu) { cpu.quantiles_ns[1].second = 2e8; }, "p99.9999 is above the maximum"},
      {[](RunResult&, CpuResult& cpu) { cpu.outliers[0].latency_ns = 2e8; }, "an outlier of 200000000 ns is above"},
      {[](RunResult&, CpuResult& cpu) { cpu.quantiles_ns[1].second = 60.125; }, "p99.9999 is not what the bins tell"},
      {[](RunResult&, CpuResult& cpu) { cpu.quantiles_ns[0].second = 0; }, "p50 is not what the bins tell"},
      {[](RunResult& run, CpuResult&) { run.phases[1].exposure_s = 1e9; }, "of its CPUs together"},
      {[](RunResult& run, CpuResult&) { run.phases[2].rounds[0].max_ns = 22; }, "the mean 22.5 ns is not between"},
      {[](RunResult& run, CpuResult&) { run.phases[2].rounds[0].max_ns = -1; }, "is negative"},
      {[](RunResult& run, CpuResult&) { run.phases[2].rounds[0].quantiles_ns[0].second = 61; }, "above the maximum"},
  };
  for (size_t i = 0; i < lies.size(); ++i)
    EXPECT_NE(error_after(lies[i].first).find(lies[i].second), std::string::npos)
        << i << ": " << error_after(lies[i].first);
}

TEST(Validate, NamesAndCpusAreUnique) {
  EXPECT_NE(error_after([](RunResult& run, CpuResult&) { run.phases[0].name = run.phases[1].name; }), "valid");
  EXPECT_NE(error_after([](RunResult&, CpuResult& cpu) { cpu.cpu = 5; }), "valid");
}

TEST(Validate, WhoHadAnOutliersTimeHadAllOfIt) {
  const std::vector<AccountedTime> parts = {{.kind = TimeClass::nmi, .name = "", .ns = 0.4, .count = 1},
                                            {.kind = TimeClass::nothing_seen, .name = "", .ns = 0.6, .count = 2}};
  const auto error_of = [&](const std::function<void(std::vector<AccountedTime>&)>& change) {
    return error_after([&](RunResult&, CpuResult& cpu) {
      cpu.outliers.resize(1);
      cpu.outliers[0].latency_ns = 1;
      cpu.outliers[0].accounting = parts;
      change(cpu.outliers[0].accounting);
    });
  };
  EXPECT_EQ(error_of([](auto&) {}), "valid");
  EXPECT_NE(error_of([](auto& changed) { changed[0].ns += 0.1; }), "valid");
  EXPECT_NE(error_of([](auto& changed) { changed.pop_back(); }), "valid");
  EXPECT_NE(error_of([](auto& changed) { changed[0].count = 0; }), "valid");
  EXPECT_NE(error_of([](auto& changed) { changed[0].ns = NAN; }), "valid");
  EXPECT_NE(error_of([](auto& changed) {
              changed[0].ns = -1;
              changed[1].ns = 2;
            }),
            "valid");
}

TEST(Validate, InterferenceAddsUpToWhatWasWatched) {
  const auto error_of = [&](const std::function<void(CpuInterference&)>& change) {
    return error_after([&](RunResult& run, CpuResult&) { change(run.phases[1].interference[0]); });
  };
  EXPECT_EQ(error_of([](auto&) {}), "valid");
  EXPECT_NE(error_of([](auto& of_cpu) { of_cpu.watched_ns += 4; }).find("ns are accounted for"), std::string::npos);
  EXPECT_NE(error_of([](auto& of_cpu) { of_cpu.rows.pop_back(), of_cpu.rows.pop_back(); }), "valid");
  EXPECT_NE(error_of([](auto& of_cpu) { of_cpu.rows[0].count = 0; }), "valid");
  EXPECT_NE(error_of([](auto& of_cpu) { of_cpu.rows[0].largest_ns = 5'000; }), "valid") << "longer than all together";
  EXPECT_NE(error_of([](auto& of_cpu) { of_cpu.rows[0].largest_ns = 1; }), "valid") << "750 of these are shorter";
  EXPECT_NE(error_of([](auto& of_cpu) { of_cpu.rows[1] = of_cpu.rows[0]; }), "valid");
  EXPECT_NE(error_of([](auto& of_cpu) { of_cpu.watched_ns = NAN; }), "valid");
  EXPECT_EQ(error_after([](RunResult& run, CpuResult&) {
              run.phases[1].interference.push_back(run.phases[1].interference[0]);
            }),
            "phase \"npt under load\": the interference of CPU 5: it is there twice");
}

TEST(Validate, ALateWakeupIsItsPartsTwice) {
  const auto error_of = [&](const std::function<void(LateWakeup&)>& change) {
    return error_after([&](RunResult& run, CpuResult&) { change(run.phases[1].interference[0].wakeups[0]); });
  };
  EXPECT_EQ(error_of([](auto&) {}), "valid");
  EXPECT_NE(error_of([](auto& wakeup) { wakeup.handler_ns += 1; }).find("a late wake-up of 400000 ns add up to 400001"),
            std::string::npos);
  EXPECT_NE(error_of([](auto& wakeup) { wakeup.late_interrupt_ns.reset(); }), "valid");
  EXPECT_NE(error_of([](auto& wakeup) { wakeup.others_ns = NAN; }), "valid");
  EXPECT_NE(error_of([](auto& wakeup) { wakeup.accounting.pop_back(); }), "valid");
  EXPECT_NE(error_of([](auto& wakeup) { wakeup.accounting[0].ns = NAN; }), "valid");
  EXPECT_NE(error_of([](auto& wakeup) {
              wakeup.waking_ns -= 1e6;
              wakeup.others_ns += 1e6;
            }),
            "valid");
}

TEST(Validate, CompleteRunHasAPhase) {
  EXPECT_NE(error_after([](RunResult& run, CpuResult&) { run.phases.clear(); }), "valid");
  EXPECT_EQ(error_after([](RunResult& run, CpuResult&) {
              run.phases.clear();
              run.comparisons.clear();
              run.state = RunResult::State::running;
            }),
            "valid");
}

TEST(Validate, RoundsAddUpToTheirPhase) {
  EXPECT_EQ(error_after([](RunResult& run, CpuResult&) { run.phases[2].rounds[0].samples += 1; }),
            "phase \"tracers: none\": its rounds have 32 samples of 31");
  EXPECT_NE(error_after([](RunResult& run, CpuResult&) { run.phases[2].rounds[1].quantiles_ns[0].second = NAN; }),
            "valid");
}

TEST(Validate, PathsAreAmongTheSamplesOfTheirPhase) {
  EXPECT_EQ(error_after([](RunResult& run, CpuResult&) {
              run.phases[2].paths = run.phases[1].paths;
              run.phases[2].paths[1].gaps.bins[0].count += 28;
              run.phases[2].paths[1].gaps.samples += 28;
            }),
            "phase \"tracers: none\": its paths have 36 gaps of 31");
  EXPECT_EQ(error_after([](RunResult& run, CpuResult&) { run.phases[1].paths[0].gaps.samples += 1; }),
            "phase \"npt under load\": the path \"ordinary event\": the bins hold 4 samples of 5");
  EXPECT_NE(error_after([](RunResult& run, CpuResult&) { run.phases[1].paths[0].name = run.phases[1].paths[1].name; }),
            "valid");
  EXPECT_NE(error_after([](RunResult& run, CpuResult&) { run.phases[1].paths[0].gaps.mean_ns = NAN; }), "valid");
  EXPECT_NE(error_after([](RunResult& run, CpuResult&) { run.phases[1].paths[1].gaps = CpuResult{}; }), "valid");
}

TEST(Validate, ComparisonIsBetweenItsOwnArms) {
  EXPECT_EQ(error_after([](RunResult& run, CpuResult&) { run.comparisons[0].arm = "spdlog"; }),
            "comparison \"tracers\" of \"spdlog\": no phase of it has the arm \"spdlog\"");
  EXPECT_NE(error_after([](RunResult& run, CpuResult&) { run.phases[2].comparison.clear(); }), "valid");
  EXPECT_NE(error_after([](RunResult& run, CpuResult&) { run.comparisons[0].gaps = "traced windows"; }), "valid");
  EXPECT_NE(error_after([](RunResult& run, CpuResult&) { run.comparisons[0].measures.clear(); }), "valid");
  EXPECT_NE(error_after([](RunResult& run, CpuResult&) { run.comparisons[0].measures[1].interval_ns.high = INFINITY; }),
            "valid");
  EXPECT_NE(error_after([](RunResult& run, CpuResult&) { run.comparisons[0].difference_of_means_ns.low = NAN; }),
            "valid");
}

TEST(Validate, BracketOfAMaximumRateIsTheRightWayUp) {
  EXPECT_NE(error_after([](RunResult& run, CpuResult&) { run.phases[4].maximum_rate->lossless_hz = 2e6; }), "valid");
  EXPECT_NE(error_after([](RunResult& run, CpuResult&) { run.phases[4].maximum_rate->trials[0].produced_hz = NAN; }),
            "valid");
  EXPECT_NE(error_after([](RunResult& run, CpuResult&) { run.phases[4].maximum_rate->lossy_evidence->lossy = 2; }),
            "valid");
}

}  // namespace
}  // namespace maxlat::core
