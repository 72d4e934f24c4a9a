// SPDX-License-Identifier: MIT
#include "bench.hpp"

#include <unistd.h>

#include <chrono>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/realtime.hpp>
#include <maxlat/reports/report.hpp>

namespace maxlat::rteval_ext {

namespace {

// found - actual is two context switches, one turn of the meter's loop, and whatever interrupts the machine has pending
// when the hog leaves: together below 20 us on bare metal. Under a hypervisor each of them may meet an exit to the
// host.
constexpr double kStatedErrorOnMetal_ns = 20'000;
constexpr double kStatedErrorInGuest_ns = 100'000;

bool is_guest(const core::MachineView& machine) {
  const auto cpuinfo = machine.read("/proc/cpuinfo");
  return cpuinfo && cpuinfo->find(" hypervisor") != std::string::npos;
}

// Tried, not asked: limits, capabilities and cgroups all have their say. For a moment this thread is what the hog of a
// control will be.
core::Status may_measure() {
  const core::Result<core::Scheduling> before = core::current_scheduling();
  if (!before) return before.error();
  const core::Status allowed = core::set_scheduling({.policy = core::Policy::fifo, .priority = 99});
  if (!allowed)
    return core::cannot_run("measuring needs SCHED_FIFO and locked memory: " + allowed.error().text,
                            allowed.error().hint);
  return core::set_scheduling(*before);
}

// Once in a process: the kernel does not change under it.
const std::string& unpacked_config() {
  static const std::string text = [] {
    const std::string packed(core::kPackedConfig);
    if (::access(packed.c_str(), R_OK) != 0) return std::string();
    core::ProcessSpec gzip;
    gzip.argv = {"gzip", "-dc", packed};
    gzip.standard_output = core::ProcessSpec::Output::capture;
    const auto ended = core::run_process(gzip, std::chrono::seconds(10));
    return ended && ended->succeeded() ? ended->standard_output : std::string();
  }();
  return text;
}

core::MachineView view_of(core::CpuList measured) {
  core::MachineView machine;
  machine.measured_cpus = std::move(measured);
  return machine;
}

core::MachineView view_with_config(core::CpuList measured) {
  core::MachineView machine = view_of(std::move(measured));
  machine.unpacked_config = unpacked_config();
  return machine;
}

}  // namespace

core::Result<Bench> real_bench() {
  core::Result<core::MachineCpus> cpus = core::machine_cpus();
  if (!cpus) return cpus.error();
  Bench bench;
  bench.cpus = *cpus;
  const bool guest = is_guest(view_of({}));
  bench.stated_error_ns = guest ? kStatedErrorInGuest_ns : kStatedErrorOnMetal_ns;
  bench.stated_error_why = guest ? "100 us: two context switches and an interrupt, each of which may exit to the host"
                                 : "20 us: two context switches and an interrupt";
  bench.may_measure = may_measure;
  bench.stay_awake = []() -> core::Result<std::shared_ptr<void>> {
    core::Result<core::DmaLatency> held = core::DmaLatency::hold(0);
    if (!held) return held.error();
    return std::shared_ptr<void>(std::make_shared<core::DmaLatency>(*std::move(held)));
  };
  bench.shield = put_shield_on;
  bench.shield_would = preview_shield;
  bench.meter = [](PhaseKind kind) { return kind->make(); };
  bench.plant = [](const loadgen::StallPlan& plan) { return loadgen::plant_stalls(plan); };
  bench.preflight = [](const core::CpuList& measured) { return core::observe_all(view_of(measured)); };
  const core::CpuList measured = core::default_measured(*cpus);
  bench.fingerprint = [measured] { return core::fingerprint(view_with_config(measured)); };
  bench.kernel_config = [] { return core::kernel_config(view_with_config({})); };
  bench.not_comparable = [measured] { return core::not_comparable(view_of(measured)); };
  bench.write_report = [](const core::RunResult& run, const std::string& path) {
    return reports::write_html(run, path);
  };
  return bench;
}

}  // namespace maxlat::rteval_ext
