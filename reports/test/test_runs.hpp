// SPDX-License-Identifier: MIT
//
// Runs for tests, made from known distributions: exact counts, no clock, no randomness. Used by the unit tests, by
// sample_run (which writes them as result.json for the browser test and the bench) and nowhere else.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <maxlat/core/result/run_result.hpp>
#include <string>
#include <vector>

namespace maxlat::reports::test {

// Bins on the lattice of base/histogram.h (1024 to the octave) for a counter of `ticks_per_ns`, filled from `expected`:
// the expected number of samples per decade at a latency. Bins that would hold less than one sample stay out.
template <typename Density>
std::vector<core::Bin> lattice_bins(double from_ns, double to_ns, Density expected, double ticks_per_ns = 2.6) {
  std::vector<core::Bin> bins;
  double low = std::floor(from_ns * ticks_per_ns);
  while (low < to_ns * ticks_per_ns) {
    const double width = low < 2048 ? 1 : std::exp2(std::floor(std::log2(low)) - 10);
    const double middle = (low + width / 2) / ticks_per_ns;
    const double count = expected(middle) * std::log10((low + width) / std::max(low, 0.5));
    if (count >= 1) bins.push_back({low / ticks_per_ns, (low + width) / ticks_per_ns, static_cast<uint64_t>(count)});
    low += width;
  }
  return bins;
}

inline double bump(double ns, double at_ns, double decades) {
  const double distance = std::log10(ns / at_ns) / decades;
  return std::exp(-distance * distance / 2);
}

inline uint64_t sum_of(const std::vector<core::Bin>& bins) {
  uint64_t sum = 0;
  for (const auto& bin : bins) sum += bin.count;
  return sum;
}

// Statistics that follow from the bins, and outliers that lie in the last of them.
inline core::CpuResult cpu_from_bins(unsigned number, std::vector<core::Bin> bins, double exposure_s) {
  core::CpuResult cpu;
  cpu.cpu = number;
  cpu.bins = std::move(bins);
  cpu.samples = sum_of(cpu.bins);
  cpu.exposure_s = exposure_s;
  core::fill_statistics_from_bins(cpu);
  return cpu;
}

inline core::CpuResult cpu_without_samples(unsigned number) {
  core::CpuResult cpu;
  cpu.cpu = number;
  return cpu;
}

// A sample of its own, kept as an outlier.
inline void add_stall(core::CpuResult& cpu, double latency_ns, double t_s, const std::string& cause = "") {
  const auto at =
      std::find_if(cpu.bins.begin(), cpu.bins.end(), [&](const auto& bin) { return bin.high_ns > latency_ns; });
  if (at != cpu.bins.end() && at->low_ns <= latency_ns) {
    ++at->count;
  } else {
    const double next = at == cpu.bins.end() ? INFINITY : at->low_ns;
    cpu.bins.insert(at, {latency_ns, std::min(latency_ns * 1.0005, next), 1});
  }
  cpu.outliers.push_back({t_s * 1e9, latency_ns, cpu.cpu, cause});
  std::sort(cpu.outliers.begin(), cpu.outliers.end(),
            [](const auto& a, const auto& b) { return a.latency_ns > b.latency_ns; });
  cpu.max_ns = std::max(cpu.max_ns, latency_ns);
  if (cpu.bins.back().low_ns <= latency_ns) cpu.max_ns = cpu.outliers.front().latency_ns;  // exact, not the bin's edge
  core::fill_statistics_from_bins(cpu);
}

// npt's shape: a narrow body at some ten ns, interrupts at some µs, and a thin tail.
inline core::CpuResult npt_cpu(unsigned number, double scale, double seconds, double tail_ns) {
  auto cpu = cpu_from_bins(number,
                           lattice_bins(9, tail_ns / 2,
                                        [&](double ns) {
                                          return scale * (3e8 * bump(ns, 11.5, 0.03) +
                                                          2e4 * bump(ns, 2500 + 300 * number, 0.12) +
                                                          300 * bump(ns, 9000, 0.3));
                                        }),
                           seconds);
  for (int i = 0; i < 12; ++i)
    add_stall(cpu, tail_ns * (0.55 + 0.45 * ((i * 7 + static_cast<int>(number) * 3) % 12) / 12.0),
              seconds * (0.04 + 0.08 * i));
  add_stall(cpu, tail_ns, seconds * 0.61, number == 0 ? "SMI" : "");
  cpu.timeline.max_ns.resize(static_cast<size_t>(seconds));
  for (size_t s = 0; s < cpu.timeline.max_ns.size(); ++s)
    cpu.timeline.max_ns[s] = 6000 + 2500.0 * static_cast<double>((s * 13 + number * 5) % 7);
  for (const auto& outlier : cpu.outliers) {
    auto& second = cpu.timeline.max_ns[static_cast<size_t>(outlier.t_ns / 1e9)];
    second = std::max(second, outlier.latency_ns);
  }
  return cpu;
}

// cyclictest's: microseconds, linear bins from 0, and only a running maximum.
inline core::CpuResult cyclictest_cpu(unsigned number, double seconds) {
  std::vector<core::Bin> bins;
  for (int us = 2; us < 80; ++us) {
    const double count = 2e5 * bump(us + 0.5, 6 + number, 0.14) + 60 * bump(us + 0.5, 30, 0.2);
    if (count >= 1) bins.push_back({us * 1e3, (us + 1) * 1e3, static_cast<uint64_t>(count)});
  }
  auto cpu = cpu_from_bins(number, std::move(bins), seconds);
  add_stall(cpu, 83000 + 2000 * number, seconds * (0.4 + 0.1 * number));
  cpu.timeline.kind = core::Timeline::Kind::running_max;
  for (double s = 0; s < seconds; ++s)
    cpu.timeline.max_ns.push_back(s < seconds * 0.15 ? 32000 : s < seconds * (0.4 + 0.1 * number) ? 51000 : cpu.max_ns);
  return cpu;
}

inline core::Phase phase_of(std::string name, std::string kind, double seconds, std::vector<core::CpuResult> cpus) {
  core::Phase phase;
  phase.name = std::move(name);
  phase.kind = std::move(kind);
  phase.status = core::PhaseStatus::ok;
  phase.started = "2026-11-21T12:00:00Z";
  phase.duration_s = seconds;
  phase.per_cpu = std::move(cpus);
  for (const auto& cpu : phase.per_cpu) phase.exposure_s += cpu.exposure_s;
  return phase;
}

inline core::LoadResult load_of(std::string name, std::string unit, double level, size_t seconds) {
  core::LoadResult load{std::move(name), "built-in", std::move(unit), true, "", {}};
  for (size_t s = 0; s < seconds; ++s)
    load.progress.push_back(level * (0.85 + 0.05 * static_cast<double>((s * 11) % 7)));
  return load;
}

inline core::Phase control_phase(std::string name) {
  auto phase = phase_of(std::move(name), "control", 4, {});
  phase.control = core::ControlResult{"npt loop",
                                      5000,
                                      {{0, 50e3, 50.4e3, 0, 50.9e3, true},
                                       {0, 500e3, 500.2e3, 0, 500.8e3, true},
                                       {1, 5e6, 5.0003e6, 0, 5.0011e6, true}}};
  phase.command = "maxlat load --control 50us,500us,5ms -a 0,1";
  return phase;
}

// Every kind of phase, two CPUs, loads, controls, outliers, a phase that cannot run here.
inline core::RunResult typical_run() {
  core::RunResult run;
  run.id = "20261121T120000Z-quick";
  run.tool = "maxlat 0.1.0";
  run.started = "2026-11-21T12:00:00Z";
  run.ended = "2026-11-21T12:02:41Z";
  run.plan = "quick";
  run.plan_text = "name = \"quick\"\n\n[[phase]]\nname = \"npt\"\nkind = \"npt\"\nduration = \"10s\"\n";
  run.seed = 42;
  run.state = core::RunResult::State::complete;

  run.verdict.not_comparable = {"this is a virtual machine (kvm): the host may stop it at any time",
                                "the kernel is not PREEMPT_RT"};

  using Seen = core::SettingObservation::Verdict;
  run.preflight = {
      {Seen::bad, "preemption", "kernel", "PREEMPT_VOLUNTARY", "PREEMPT_RT",
       "Without it a system call of anybody delays a real-time task.", "apt install linux-image-rt-amd64"},
      {Seen::bad, "virtualisation", "environment", "kvm", "none", "The host may stop the whole guest at any time.",
       "run on the real machine"},
      {Seen::ok, "clocksource", "clock", "tsc", "tsc", "Other clocks cost a system call or are unstable.", ""},
      {Seen::unknown, "nmi_watchdog", "kernel", "unknown", "0", "Its interrupt cannot be masked.",
       "sysctl kernel.nmi_watchdog=0"},
      {Seen::info, "smt", "cpu", "1 thread per core", "1 thread per core", "Siblings share the execution units.", ""}};
  run.machine = {{"cpu", "3f9a51c2", {{"model name", "AMD EPYC 9B14"}, {"online", "0-1"}, {"microcode", "0xa101148"}}},
                 {"kernel",
                  "b07711de",
                  {{"release", "6.1.0-27-amd64"},
                   {"version", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.115-1"},
                   {"command line", "quiet isolcpus=1 nohz_full=1 rcu_nocbs=1"}}}};

  run.phases.push_back(control_phase("control before"));
  auto hwlat = phase_of("hardware latency", "hwlat", 20, {npt_cpu(0, 0.02, 20, 31e3), npt_cpu(1, 0.02, 20, 27e3)});
  hwlat.facts = {{"back end", "user-space loop (upper bound)"},
                 {"interrupts", "on"},
                 {"bound", "upper bound: interrupts and scheduling are included"}};
  hwlat.command = "maxlat hwlat -a 0,1 -D 20s";
  run.phases.push_back(std::move(hwlat));
  auto cyclictest = phase_of("cyclictest under load", "cyclictest", 40, {cyclictest_cpu(0, 40), cyclictest_cpu(1, 40)});
  cyclictest.command = "cyclictest -m -p95 -i100 --smp -D 40 -h 400 --json=cyclictest.json";
  cyclictest.load = {load_of("hackbench", "rounds/s", 3.1, 40), load_of("memory", "MiB/s", 5200, 40)};
  run.phases.push_back(std::move(cyclictest));
  auto idle = phase_of("npt idle", "npt", 30, {npt_cpu(0, 0.9, 30, 22e3), npt_cpu(1, 1, 30, 19e3)});
  idle.arm = "none";
  idle.command = "maxlat npt -a 0,1 -D 30s";
  run.phases.push_back(std::move(idle));
  auto loaded = phase_of("npt under load", "npt", 40, {npt_cpu(0, 0.8, 40, 4.1e6), npt_cpu(1, 0.8, 40, 61e3)});
  loaded.arm = "none";
  loaded.command = "maxlat npt -a 0,1 -D 40s";
  loaded.warnings = {"CPU 0 was throttled by the host for 4 ms"};
  loaded.load = {load_of("hackbench", "rounds/s", 2.8, 40)};
  run.phases.push_back(std::move(loaded));
  core::Phase tracer;
  tracer.name = "tracer lttng-ust";
  tracer.kind = "tracer";
  tracer.status = core::PhaseStatus::skipped;
  tracer.reason = "lttng-sessiond is not installed";
  run.phases.push_back(std::move(tracer));
  run.phases.push_back(control_phase("control after"));
  return run;
}

// One phase, as `maxlat npt --json` writes it.
inline core::RunResult single_phase_run() {
  core::RunResult run;
  run.id = "npt";
  run.tool = "maxlat 0.1.0";
  run.state = core::RunResult::State::complete;
  run.phases.push_back(phase_of("npt", "npt", 10, {npt_cpu(0, 0.1, 10, 22e3), npt_cpu(1, 0.1, 10, 19e3)}));
  return run;
}

inline core::PathResult path_of(const std::string& name, bool rare, double at_ns, uint64_t gaps) {
  core::PathResult path{.name = name, .rare = rare, .gaps = {}};
  path.gaps.bins = {{at_ns, at_ns * 1.001, gaps - 1}, {at_ns * 3, at_ns * 3.003, 1}};
  core::fill_statistics_from_bins(path.gaps);
  return path;
}

// The paths of our own tracer, with the arm's worst gap in the last of them.
inline void add_paths(core::Phase& phase, std::vector<core::PathResult> paths) {
  phase.paths = std::move(paths);
  core::Outlier& worst = phase.per_cpu.front().outliers.front();
  worst.path = phase.paths.back().name;
  worst.events = {{worst.t_ns - 500, "npt:loop", "count 41, ticks 52", worst.path},
                  {worst.t_ns + 20, "npt:loop", "count 42, ticks 54000", ""}};
}

inline core::Phase arm_of(const std::string& arm, double scale, double tail_ns) {
  core::Phase phase = phase_of("tracers: " + arm, "tracer", 8, {npt_cpu(1, scale, 8, tail_ns)});
  phase.arm = arm;
  phase.comparison = "tracers";
  phase.command = "maxlat npt --compare none,maxlat:timer,maxlat:wakeup,lttng-ust:timer --seed 42";
  phase.per_cpu.front().timeline.max_ns.clear();
  if (!arm.starts_with("none"))
    phase.events =
        core::EventCounts{.produced = 1'000'000, .recorded = 999'999, .lost_full = 1, .lost_wrap = 0, .lost_big = 0};
  return phase;
}

inline core::Comparison comparison_of(const std::string& arm, double mean_ns, const std::string& verdict) {
  core::Comparison comparison;
  comparison.name = "tracers";
  comparison.base = "none";
  comparison.arm = arm;
  comparison.rounds = comparison.rounds_needed = 8;
  comparison.verdict = verdict;
  comparison.measures = {{.measure = "mean",
                          .base_ns = 11,
                          .arm_ns = 11 + mean_ns,
                          .difference_ns = mean_ns,
                          .interval_ns = {mean_ns - 1, mean_ns + 1},
                          .p = 0.046875,
                          .noise_floor_ns = 0.25,
                          .verdict = core::MeasureDifference::Verdict::different},
                         {.measure = "max",
                          .base_ns = 22e3,
                          .arm_ns = 21e3,
                          .difference_ns = -1000,
                          .interval_ns = {-3000, 2500},
                          .p = 1,
                          .noise_floor_ns = 4000,
                          .verdict = core::MeasureDifference::Verdict::same}};
  comparison.difference_of_means_ns = {mean_ns - 0.1, mean_ns + 0.1};
  return comparison;
}

// A comparison of tracers and a search for maximum rates.
inline core::RunResult tracer_run() {
  core::RunResult run;
  run.id = "npt --compare";
  run.tool = "maxlat 0.1.0";
  run.seed = 42;
  run.state = core::RunResult::State::complete;
  run.phases = {arm_of("none", 0.1, 22e3), arm_of("none (again)", 0.1, 23e3), arm_of("maxlat:timer", 0.05, 21e3),
                arm_of("maxlat:wakeup", 0.05, 60e3)};
  add_paths(run.phases[2],
            {path_of("sub-buffer switch", true, 700, 640), path_of("ordinary event", false, 30, 900'000)});
  add_paths(run.phases[3],
            {path_of("ordinary event", false, 30, 900'000), path_of("sub-buffer switch and wakeup", true, 20e3, 639)});
  core::Phase skipped;
  skipped.name = "tracers: lttng-ust:timer";
  skipped.kind = "tracer";
  skipped.arm = "lttng-ust:timer";
  skipped.comparison = "tracers";
  skipped.status = core::PhaseStatus::skipped;
  skipped.reason = "lttng-sessiond is not installed";
  run.phases.push_back(skipped);
  run.comparisons = {comparison_of("maxlat:timer", 12,
                                   "maxlat:timer adds 12.0 ns on average; the maximum differs by less than the "
                                   "noise floor of 4.00 us (8 rounds)"),
                     comparison_of("maxlat:wakeup", 40, "maxlat:wakeup adds 40.0 ns on average (8 rounds)")};
  core::Phase rate = arm_of("maxlat:timer", 0.05, 21e3);
  rate.name = "maximum rate: maxlat:timer";
  rate.comparison.clear();
  rate.command = "maxlat npt --find-max-rate maxlat:timer";
  rate.maximum_rate = core::MaximumRate{.trial_s = 2,
                                        .lossless_hz = 4.2e6,
                                        .lossy_hz = 4.35e6,
                                        .confirmed = true,
                                        .lossless_evidence = core::RateEvidence{.trials = 4, .lossy = 1},
                                        .lossy_evidence = core::RateEvidence{.trials = 6, .lossy = 6},
                                        .trials = {{.asked_hz = 4.2e6, .produced_hz = 4.2e6, .exposure_s = 4}}};
  run.phases.push_back(rate);
  return run;
}

// Many CPUs, 10^9 samples each, thousands of bins: the size the report must manage.
inline core::RunResult large_run(unsigned cpus, unsigned phases) {
  core::RunResult run = typical_run();
  run.phases.clear();
  for (unsigned p = 0; p < phases; ++p) {
    std::vector<core::CpuResult> all;
    for (unsigned cpu = 0; cpu < cpus; ++cpu) {
      auto bins =
          lattice_bins(9, 2e6, [&](double ns) { return 9.5e9 * bump(ns, 12, 0.04) + 3e7 * std::pow(ns / 12, -1.05); });
      all.push_back(cpu_from_bins(cpu, std::move(bins), 3600));
      for (int i = 0; i < 20; ++i) add_stall(all.back(), 2e6 + 1e5 * i + 1e3 * cpu, 170.0 * i + cpu);
      for (size_t s = 0; s < 3600; ++s)
        all.back().timeline.max_ns.push_back(1e5 + 900.0 * static_cast<double>((s * 31 + cpu * 7) % 1000));
    }
    run.phases.push_back(phase_of(fmt::format("npt {}", p + 1), "npt", 3600, std::move(all)));
    run.phases.back().load = {load_of("hackbench", "rounds/s", 3, 3600)};
  }
  return run;
}

// 64 CPUs for 24 hours: 10^11 samples, 10^5 outliers with their times.
inline core::RunResult day_run() {
  constexpr unsigned kCpus = 64;
  constexpr int kOutliersEach = 1563, kSteps = 3600;
  constexpr double kDay_s = 86400;
  core::RunResult run = typical_run();
  run.phases.clear();
  std::vector<core::CpuResult> all;
  for (unsigned number = 0; number < kCpus; ++number) {
    core::CpuResult cpu = cpu_from_bins(
        number,
        lattice_bins(9, 1.9e6, [&](double ns) { return 1.6e10 * bump(ns, 12, 0.04) + 5e7 * std::pow(ns / 12, -1.05); }),
        kDay_s);
    cpu.timeline.step_s = kDay_s / kSteps;
    for (int s = 0; s < kSteps; ++s)
      cpu.timeline.max_ns.push_back(1e5 + 900.0 * ((s * 31 + static_cast<int>(number) * 7) % 1000));
    for (int i = 0; i < kOutliersEach; ++i) {
      const double t_s = kDay_s * (i + 0.5) / kOutliersEach, ns = 2e6 + 1e3 * ((i * 7919) % 4001) + number;
      cpu.outliers.push_back({t_s * 1e9, ns, number, ""});
      double& step = cpu.timeline.max_ns[static_cast<size_t>(t_s / cpu.timeline.step_s)];
      step = std::max(step, ns);
    }
    std::sort(cpu.outliers.begin(), cpu.outliers.end(),
              [](const auto& a, const auto& b) { return a.latency_ns > b.latency_ns; });
    for (auto outlier = cpu.outliers.rbegin(); outlier != cpu.outliers.rend(); ++outlier) {
      if (!cpu.bins.empty() && cpu.bins.back().low_ns == outlier->latency_ns)
        ++cpu.bins.back().count;
      else
        cpu.bins.push_back({std::max(outlier->latency_ns, cpu.bins.back().high_ns), outlier->latency_ns + 0.5, 1});
    }
    cpu.max_ns = cpu.outliers.front().latency_ns;
    cpu.samples = sum_of(cpu.bins);
    core::fill_statistics_from_bins(cpu);
    all.push_back(std::move(cpu));
  }
  run.phases.push_back(phase_of("npt for a day", "npt", kDay_s, std::move(all)));
  run.phases.back().load = {load_of("hackbench", "rounds/s", 3, 86400)};
  return run;
}

}  // namespace maxlat::reports::test
