// SPDX-License-Identifier: MIT
#include "test_run.hpp"

namespace maxlat::core {
namespace {

CpuResult example_cpu(unsigned number) {
  CpuResult cpu;
  cpu.cpu = number;
  cpu.samples = 9'007'199'254'740'995;  // 2^53 + 3: no double holds it
  cpu.exposure_s = 2.999999999;
  cpu.min_ns = 9.245;
  cpu.max_ns = 123456789.125;
  cpu.mean_ns = 9.501;
  cpu.stddev_ns = 1.25;
  cpu.quantiles_ns = {{"p50", 9.5}, {"p99.9999", 9.63}};
  cpu.bins = {{9.245, 9.63, 9'007'199'254'740'992}, {9.63, 10.015, 1}, {60, 60.125, 1}};
  cpu.overflow_count = 1;
  cpu.overflow = {{.t_ns = 1e9, .latency_ns = 123456789.125, .cpu = number, .cause = "throttled"}};
  cpu.outliers = {{.t_ns = 1e9, .latency_ns = 123456789.125, .cpu = number, .cause = "throttled"},
                  {.t_ns = 2e9, .latency_ns = 60.1, .cpu = number, .cause = ""}};
  cpu.timeline = {.step_s = 0.5, .kind = Timeline::Kind::running_max, .max_ns = {12.5, 0, 123456789.125}};
  return cpu;
}

PathResult example_path(const std::string& name, bool rare, double from_ns) {
  PathResult path{.name = name, .rare = rare, .gaps = {}};
  path.gaps.bins = {{from_ns, from_ns + 0.5, 3}, {from_ns + 1, from_ns + 2.125, 1}};
  fill_statistics_from_bins(path.gaps);
  return path;
}

Phase example_phase() {
  Phase phase;
  phase.name = "npt under load";
  phase.kind = "npt";
  phase.arm = "maxlat:timer";
  phase.status = PhaseStatus::ok;
  phase.command = "maxlat npt -a 0,5 -D 3s";
  phase.started = "2026-11-21T12:00:00Z";
  phase.duration_s = 3.000000001;
  phase.exposure_s = 5.999999998;
  phase.facts = {{"interrupts", "on"}, {"clock", "kernel, 2596.1 MHz"}};
  phase.warnings = {"the governor is \"powersave\"", "a path: C:\\temp\ttab \xc2\xb5s"};
  phase.per_cpu = {example_cpu(0), example_cpu(5)};
  phase.load = {{.name = "hackbench",
                 .command = "hackbench -l 1000",
                 .unit = "rounds/s",
                 .alive = false,
                 .reason = "it ended with exit status 1",
                 .progress = {0, 1.5, 3.125}}};
  phase.control = ControlResult{
      .meter = "npt",
      .stated_error_ns = 5000,
      .stalls = {
          {.cpu = 5, .planted_ns = 50'000, .actual_ns = 50'120.5, .wake_ns = 3'000, .found_ns = 51'000, .found = true},
          {.cpu = 5, .planted_ns = 500'000, .actual_ns = 500'090, .found_ns = 0, .found = false}}};
  phase.events = EventCounts{.produced = 10, .recorded = 4, .lost_full = 3, .lost_wrap = 2, .lost_big = 1};
  Outlier& explained = phase.per_cpu[1].outliers[1];
  explained.path = "sub-buffer switch";
  explained.events = {{.t_ns = -12.5, .name = "npt:start", .fields = "", .path = ""},
                      {.t_ns = 2e9, .name = "npt:loop", .fields = "count 41, ticks 52", .path = "sub-buffer switch"}};
  explained.accounting = {{.kind = TimeClass::irq,
                           .name = "24 eth0",
                           .ns = explained.latency_ns - 20.25,
                           .count = 2,
                           .certainty = Certainty::seen},
                          {.kind = TimeClass::task,
                           .name = "kworker/5:1 (tid 77, nice 0)",
                           .ns = 20,
                           .count = 1,
                           .certainty = Certainty::seen,
                           .woken_by = "local timer"},
                          {.kind = TimeClass::ipi,
                           .name = "reschedule",
                           .ns = 0.25,
                           .count = 3,
                           .certainty = Certainty::next_to,
                           .sent_by = "CPU 0, task idle"}};
  phase.paths = {example_path("ordinary event", false, 20), example_path("sub-buffer switch", true, 60)};
  using Kind = Interruption::Kind;
  phase.activity = {
      {.cpu = 0, .switches = 0},
      {.cpu = 5,
       .counted = {{.kind = Kind::device, .name = "24", .what = "virtio0-input.0", .count = 3},
                   {.kind = Kind::timer, .name = "LOC", .what = "Local timer interrupts", .count = 750},
                   {.kind = Kind::sent, .name = "CAL", .count = 1},
                   {.kind = Kind::other, .name = "MCP", .count = 2},
                   {.kind = Kind::softirq, .name = "TIMER", .count = 9}},
       .named = {
           {.kind = Kind::task, .name = "kworker/5:1", .what = "real-time 50", .by = "swapper on CPU 0", .count = 4},
           {.kind = Kind::work, .name = "vmstat_update", .count = 4},
           {.kind = Kind::function, .name = "tick_sched_timer", .count = 750},
           {.kind = Kind::fault, .name = "page fault", .what = "hog", .count = 1}}}};
  phase.interference = {
      {.cpu = 5,
       .watched_ns = 3e9,
       .undisturbed_ns = 3e9 - 4'100.5,
       .rows = {{.kind = TimeClass::local_timer, .count = 750, .ns = 4'000.5, .largest_ns = 12.25},
                {.kind = TimeClass::task, .name = "kworker/5:1", .count = 1, .ns = 100, .largest_ns = 100},
                {.kind = TimeClass::page_fault, .count = 2}},
       .wakeups = {
           {.t_ns = 1.5e9,
            .latency_ns = 400'000,
            .late_interrupt_ns = 10'000.5,
            .handler_ns = 2'000,
            .waking_ns = 999.5,
            .others_ns = 387'000,
            .accounting = {
                {.kind = TimeClass::task,
                 .name = "hog (tid 9, real-time 99)",
                 .ns = 387'000,
                 .count = 1,
                 .certainty = Certainty::seen},
                {.kind = TimeClass::task, .name = "idle", .ns = 13'000, .count = 2, .certainty = Certainty::seen}}}}}};
  using Promise = PolicyPair::Promise;
  phase.pairs = {{.cpu = 5,
                  .running = "SCHED_OTHER",
                  .woken = "SCHED_FIFO 95",
                  .promise = Promise::must,
                  .rounds = 100,
                  .preempted = 97,
                  .waited = 1,
                  .untold = 2,
                  .latency = PreemptionLatency{.min_ns = 1'250.5, .median_ns = 2'000, .max_ns = 9'000.25}},
                 {.cpu = 5,
                  .running = "SCHED_FIFO 95",
                  .woken = "SCHED_OTHER",
                  .promise = Promise::must_not,
                  .rounds = 3,
                  .waited = 3,
                  .latency = {}},
                 {.cpu = 5,
                  .running = "SCHED_FIFO 95",
                  .woken = "SCHED_DEADLINE 1 ms of 2 ms",
                  .promise = Promise::must,
                  .latency = {},
                  .refused = "operation not permitted"}};
  using Level = KernelMessage::Level;
  phase.kernel_messages = KernelMessages{
      .count = 41,
      .overwritten = 2,
      .kept = {{.level = Level::warning, .uptime_s = 4711.25, .text = "clocksource: timekeeping watchdog on CPU5"},
               {.level = Level::info, .uptime_s = 4712.000001, .text = "usb 1-1: \\x1b new \"device\""}}};
  return phase;
}

// Of two rounds, with as little in each as the rules allow.
Phase example_arm(const std::string& arm) {
  Phase phase;
  phase.name = "tracers: " + arm;
  phase.kind = "tracer";
  phase.arm = arm;
  phase.status = PhaseStatus::ok;
  phase.comparison = "tracers";
  phase.gaps = "waiting windows";
  CpuResult cpu;
  cpu.cpu = 5;
  cpu.bins = {{20, 21, 30}, {50, 60, 1}};
  fill_statistics_from_bins(cpu);
  phase.per_cpu = {cpu};
  const EventCounts events{.produced = 16, .recorded = 15, .lost_full = 1, .lost_wrap = 0, .lost_big = 0};
  phase.rounds = {{.round = 1,
                   .order = 2,
                   .samples = 16,
                   .exposure_s = 0.8,
                   .min_ns = 20,
                   .max_ns = 60,
                   .mean_ns = 22.5,
                   .stddev_ns = 8.25,
                   .quantiles_ns = {{"p50", 21}},
                   .events = events},
                  {.round = 2,
                   .order = 1,
                   .samples = 15,
                   .exposure_s = 0.8,
                   .min_ns = 20,
                   .max_ns = 21,
                   .mean_ns = 20.5,
                   .stddev_ns = 0,
                   .quantiles_ns = {{"p50", 21}},
                   .events = {}}};
  return phase;
}

Comparison example_comparison() {
  using Called = MeasureDifference::Verdict;
  return {.name = "tracers",
          .gaps = "waiting windows",
          .beside = true,
          .base = "none",
          .arm = "maxlat:timer",
          .rounds = 2,
          .rounds_needed = 8,
          .measures = {{.measure = "mean",
                        .base_ns = 20.5,
                        .arm_ns = 32.25,
                        .difference_ns = 11.75,
                        .interval_ns = {-0.5, 12.5},
                        .p = 0.000012345,
                        .noise_floor_ns = 0.25,
                        .verdict = Called::different},
                       {.measure = "max",
                        .base_ns = 60,
                        .arm_ns = 60,
                        .difference_ns = -1,
                        .interval_ns = {-3, 3},
                        .p = 1,
                        .noise_floor_ns = {},
                        .verdict = Called::undecided},
                       {.measure = "p99.99",
                        .base_ns = 60,
                        .arm_ns = 60,
                        .difference_ns = 2,
                        .interval_ns = {-3, 3},
                        .p = 1,
                        .noise_floor_ns = {},
                        .verdict = Called::not_shown,
                        .rounds_likely = 40},
                       {.measure = "p99.9999", .noise_floor_ns = {}, .verdict = Called::not_measured}},
          .difference_of_means_ns = {11.5, 12},
          .verdict = "no verdict on maxlat:timer against none: 2 rounds, 8 are needed"};
}

Phase example_maximum_rate() {
  Phase phase = example_arm("maxlat:wakeup");
  phase.name = "maximum rate of maxlat:wakeup";
  phase.comparison.clear();
  phase.gaps.clear();
  phase.rounds.clear();
  phase.maximum_rate = MaximumRate{
      .trial_s = 2,
      .lossless_hz = 950'000.5,
      .lossy_hz = 1'000'000,
      .confirmed = true,
      .lossless_evidence = RateEvidence{.trials = 1, .lossy = 0},
      .lossy_evidence = RateEvidence{.trials = 1, .lossy = 1},
      .trials = {{.asked_hz = 0, .produced_hz = 1'000'000, .lost = 17, .exposure_s = 1.9, .stolen_s = 0.01},
                 {.asked_hz = 950'000, .produced_hz = 950'000.5, .lost = 0, .exposure_s = 3.8, .confirmation = true}}};
  return phase;
}

}  // namespace

RunResult example_run() {
  RunResult run;
  run.id = "20261121T120000-7f3a";
  run.tool = "maxlat 0.1.0";
  run.build = "83c1f0a29b41d6e7";
  run.label = "box 17, new BIOS";
  run.annotations = {{"bios", "2.4"}, {"who", "lab"}};
  run.started = "2026-11-21T12:00:00Z";
  run.ended = "2026-11-21T12:03:00Z";
  run.plan = "quick";
  run.plan_text = "[[phase]]\nkind = \"npt\"\n";
  run.gate_text = "[[limits]]\nmax = \"50us\"\n";
  run.seed = UINT64_MAX;
  run.state = RunResult::State::complete;
  run.machine = {{.name = "kernel", .hash = "9e107d9d", .values = {{"release", "6.1.0-rt"}, {"cmdline", "quiet"}}},
                 {.name = "cpu", .hash = "e4d909c2", .values = {{"model", "EPYC"}, {"serial", "redacted"}}}};
  using Seen = SettingObservation::Verdict;
  run.preflight = {
      {Seen::bad, "governor", "cpu", "powersave", "performance", "frequency changes stall", "cpupower frequency-set"},
      {Seen::ok, "swap", "memory", "none", "none", "", ""},
      {Seen::unknown, "temperature", "cpu", "unknown", "", "", ""}};
  Phase skipped;
  skipped.name = "hardware latency";
  skipped.kind = "hwlat";
  skipped.status = PhaseStatus::skipped;
  skipped.reason = "no tracefs";
  run.phases = {skipped, example_phase(), example_arm("none"), example_arm("maxlat:timer"), example_maximum_rate()};
  run.comparisons = {example_comparison()};
  run.verdict = {.kind = Verdict::Kind::fail,
                 .reasons = {"npt under load: max_ns is above its limit"},
                 .not_comparable = {"this is a virtual machine"},
                 .rules = {{.rule = "npt under load: max_ns",
                            .limit = "<= 50000 ns",
                            .observed = "123456789.125 ns",
                            .outcome = RuleResult::Outcome::fail},
                           {.rule = "npt idle: max_ns",
                            .limit = "<= 20000 ns",
                            .observed = "22000 ns",
                            .outcome = RuleResult::Outcome::waived,
                            .note = "waived until 2026-12-31: the BIOS of May"}}};
  return run;
}

RunResult large_run(unsigned cpus, unsigned bins) {
  constexpr uint64_t kSamples = 1'000'000'000;
  RunResult run = example_run();
  Phase phase = example_phase();
  phase.per_cpu.clear();
  for (unsigned number = 0; number < cpus; ++number) {
    CpuResult cpu;
    cpu.cpu = number;
    double edge = 9.245;
    for (unsigned i = 0; i < bins; ++i) {
      const double next = edge * 1.001;
      cpu.bins.push_back({edge, next, i == 0 ? kSamples - 17 * uint64_t{bins - 1} : 17});
      edge = next;
    }
    fill_statistics_from_bins(cpu);
    cpu.exposure_s = 10;
    cpu.timeline.max_ns.assign(3600, 50'123.456);
    phase.per_cpu.push_back(std::move(cpu));
  }
  phase.exposure_s = 10.0 * cpus;
  run.phases = {std::move(phase)};
  run.comparisons.clear();
  return run;
}

}  // namespace maxlat::core
