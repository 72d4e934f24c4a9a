// SPDX-License-Identifier: MIT
//
// For tests: a bench whose machine is on paper and whose meters are small shell scripts that copy a prepared result.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <string>
#include <vector>

#include "bench.hpp"
#include "run/run_directory.hpp"

namespace maxlat::rteval_ext::test {

namespace fs = std::filesystem;

using maxlat::test::TemporaryFolder;

// A fake meter takes no time, so it may not say that it watched for long.
inline constexpr double kFakeExposure_s = 1e-6;

inline core::CpuResult cpu_result_of(unsigned cpu, double max_ns) {
  core::CpuResult result;
  result.cpu = cpu;
  result.exposure_s = kFakeExposure_s;
  result.bins = {{0, 100, 999}, {max_ns, max_ns + 1, 1}};
  result.samples = 1000;
  result.max_ns = max_ns;
  core::fill_statistics_from_bins(result);
  return result;
}

inline core::RunResult meter_result(double max_ns) {
  core::Phase phase;
  phase.name = phase.kind = core::kNptKind.name;
  phase.status = core::PhaseStatus::ok;
  phase.exposure_s = kFakeExposure_s;
  phase.per_cpu = {cpu_result_of(1, max_ns)};
  core::RunResult run;
  run.id = "meter";
  run.tool = "fake";
  run.started = "2026-11-21T12:00:00Z";
  run.phases = {phase};
  return run;
}

// As `maxlat npt --compare none,maxlat:timer` leaves it.
inline core::RunResult arms_result() {
  core::RunResult run = meter_result(5000);
  core::Phase base = run.phases[0];
  base.name = "tracers: none";
  base.kind = core::kTracerKind.name;
  base.arm = "none";
  base.comparison = "tracers";
  base.warnings = {"round 1: it is warm"};
  core::Phase arm = base;
  arm.name = "tracers: maxlat:timer";
  arm.arm = "maxlat:timer";
  run.phases = {base, arm};
  core::Comparison comparison;
  comparison.name = "tracers";
  comparison.base = "none";
  comparison.arm = "maxlat:timer";
  comparison.measures.emplace_back().measure = "mean";
  comparison.verdict = "no difference";
  run.comparisons = {comparison};
  return run;
}

// What every fake meter of a bench does; tests change it.
struct Script {
  // Run by `sh -c`; $RESULT is a whole result, $JSON where the meter is to write it.
  std::string shell = "cp $RESULT $JSON";
  core::Status command_status;  // an error instead of a command
  bool finds_stalls = true;
  std::function<void(const MeterJob&)> on_command = [](const MeterJob&) {};
  std::function<void(core::Child&)> on_second = [](core::Child&) {};
};

class FakeMeter : public Meter {
 public:
  FakeMeter(PhaseKind kind, Script& script, std::string result_path)
      : kind_(kind), script_(script), result_path_(std::move(result_path)) {}

  PhaseKind kind() const override { return kind_; }
  core::Result<core::ProcessSpec> command(const MeterJob& job) const override {
    script_.on_command(job);
    if (!script_.command_status) return script_.command_status.error();
    core::ProcessSpec spec;
    spec.argv = {"sh", "-c", script_.shell};
    spec.environment = {{"RESULT", result_path_}, {"JSON", job.json_path}};
    return spec;
  }
  bool measuring(const core::Child&, const MeterJob& job) const override {
    return fs::exists(job.json_path + ".ready");
  }
  void every_second(core::Child& child, const MeterJob&, double) override { script_.on_second(child); }
  core::Result<core::Phase> read(const MeterJob& job, const core::ProcessEnd& end) const override {
    if (!end.succeeded()) return core::Error{"fake meter " + end.text()};
    const core::Result<core::RunResult> run = core::read_run(job.json_path);
    if (!run) return run.error();
    return run->phases[0];
  }
  core::ControlResult match(const std::vector<loadgen::Stall>& stalls, const core::Phase&, double) const override {
    core::ControlResult result;
    for (const loadgen::Stall& stall : stalls) {
      const auto actual_ns = static_cast<double>(stall.actual_ns);
      result.stalls.push_back({.cpu = stall.cpu,
                               .planted_ns = actual_ns,
                               .actual_ns = actual_ns,
                               .found_ns = script_.finds_stalls ? actual_ns : 0,
                               .found = script_.finds_stalls});
    }
    return result;
  }

 private:
  PhaseKind kind_;
  Script& script_;
  std::string result_path_;
};

// A machine of two CPUs. The bench refers to the script, which the test owns.
inline Bench fake_bench(const TemporaryFolder& directory, Script& script) {
  const std::string result_path = directory / "meter.json";
  if (const core::Status written = core::write_run(result_path, meter_result(5000)); !written) std::abort();
  Bench bench;
  bench.cpus = {{0, 1}, {}};
  bench.stated_error_ns = 1000;
  bench.may_measure = [] { return core::Status(); };
  bench.stay_awake = [] {
    return core::Result<std::shared_ptr<void>>(core::Error{"a machine of paper is always awake"});
  };
  bench.shield_would = [](const shield::ShieldPlan&) { return core::Result<std::string>("write on paper"); };
  bench.meter = [&script, result_path](PhaseKind kind) {
    return std::make_unique<FakeMeter>(kind, script, result_path);
  };
  bench.plant = [](const loadgen::StallPlan& plan) -> core::Result<std::vector<loadgen::Stall>> {
    std::vector<loadgen::Stall> stalls;
    for (const unsigned cpu : plan.cpus) {
      for (const uint64_t length_ns : plan.lengths_ns) stalls.push_back({cpu, length_ns, length_ns, 1, 1 + length_ns});
    }
    return stalls;
  };
  bench.preflight = [](const core::CpuList&) {
    core::SettingObservation row;
    row.verdict = core::SettingObservation::Verdict::ok;
    row.name = "governor";
    row.group = "cpu";
    row.observed = row.expected = "performance";
    return std::vector{row};
  };
  bench.fingerprint = [] { return std::vector<core::FingerprintGroup>{{"cpu", "1234", {{"model", "paper"}}}}; };
  bench.kernel_config = [] { return std::optional<std::string>("CONFIG_HZ=250\n"); };
  bench.not_comparable = [] { return std::vector<std::string>{}; };
  bench.write_report = [](const core::RunResult&, const std::string& path) -> core::Status {
    std::ofstream(path) << "report";
    return {};
  };
  return bench;
}

}  // namespace maxlat::rteval_ext::test
