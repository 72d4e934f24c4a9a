// SPDX-License-Identifier: MIT
#include "bench.hpp"

#include <maxlat/core/settings.hpp>
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

core::MachineView view_of(core::CpuList measured) {
  core::MachineView machine;
  machine.measured_cpus = std::move(measured);
  return machine;
}

}  // namespace

core::Result<Bench> real_bench() {
  core::Result<MachineCpus> cpus = machine_cpus();
  if (!cpus) return cpus.error();
  Bench bench;
  bench.cpus = *cpus;
  const bool guest = is_guest(view_of({}));
  bench.stated_error_ns = guest ? kStatedErrorInGuest_ns : kStatedErrorOnMetal_ns;
  bench.stated_error_why = guest ? "100 us: two context switches and an interrupt, each of which may exit to the host"
                                 : "20 us: two context switches and an interrupt";
  bench.meter = make_meter;
  bench.plant = [](const loadgen::StallPlan& plan) { return loadgen::plant_stalls(plan); };
  bench.preflight = [](const core::CpuList& measured) { return core::observe_all(view_of(measured)); };
  const core::CpuList measured = default_measured(*cpus);
  bench.fingerprint = [measured] { return core::fingerprint(view_of(measured)); };
  bench.not_comparable = [measured] { return core::not_comparable(view_of(measured)); };
  bench.write_report = [](const core::RunResult& run, const std::string& path) {
    return reports::write_html(run, path);
  };
  return bench;
}

}  // namespace maxlat::rteval_ext
