// SPDX-License-Identifier: MIT
//
// The world as the orchestrator sees it: the machine, the meters, the hog, the report. In life it is this machine;
// tests give it a machine of paper and meters that are small scripts.
#pragma once

#include <chrono>
#include <functional>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/loadgen/control.hpp>
#include <maxlat/rteval_ext/meter.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/placement.hpp"
#include "run/run_shield.hpp"

namespace maxlat::rteval_ext {

struct Bench {
  core::MachineCpus cpus;
  double stated_error_ns = 0;  // of the positive control on this machine
  std::string stated_error_why;
  // Keeps processors out of deep idle states while what it returns lives. ERRORS: not on this machine, not by this
  // user.
  std::function<core::Result<std::shared_ptr<void>>()> stay_awake;
  std::function<core::Status()> may_measure;  // ERRORS (77): what every meter needs is not given to this user
  std::function<core::Result<std::unique_ptr<RunShield>>(const shield::ShieldPlan& asked)> shield;
  // What that would do here, in words that go on after "would". ERRORS: as those of `shield`.
  std::function<core::Result<std::string>(const shield::ShieldPlan& asked)> shield_would;
  std::function<std::unique_ptr<Meter>(PhaseKind)> meter;
  // How long a meter may take beyond its duration (set-up, joining threads, writing the result), at least.
  std::chrono::seconds grace{60};
  std::function<core::Result<std::vector<loadgen::Stall>>(const loadgen::StallPlan&)> plant;
  std::function<std::vector<core::SettingObservation>(const core::CpuList& measured)> preflight;
  std::function<std::vector<core::FingerprintGroup>()> fingerprint;
  std::function<std::optional<std::string>()> kernel_config;  // whole, for the run's folder
  std::function<std::vector<std::string>()> not_comparable;
  std::function<core::Status(const core::RunResult& run, const std::string& path)> write_report;
};

// This machine. ERRORS: its CPUs cannot be read.
core::Result<Bench> real_bench();

}  // namespace maxlat::rteval_ext
