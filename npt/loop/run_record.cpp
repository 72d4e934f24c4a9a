// SPDX-License-Identifier: MIT
#include "run_record.hpp"

#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/result/run_frame.hpp>
#include <maxlat/core/sys/process.hpp>

namespace maxlat::npt {

std::string command_text(const core::Arguments& words) {
  std::vector<std::string> argv{"maxlat", "npt"};
  argv.insert(argv.end(), words.begin(), words.end());
  return core::quote_command(argv);
}

Machine read_machine(const core::CpuList& measured) {
  core::MachineView view;
  view.measured_cpus = measured;
  return {core::fingerprint(view), core::not_comparable(view)};
}

core::RunResult run_record(const std::string& plan, const std::string& started, const Machine& machine) {
  core::RunResult run = core::run_frame("npt", started);
  run.plan = plan;
  run.machine = machine.fingerprint;
  run.verdict.not_comparable = machine.not_comparable;
  return run;
}

}  // namespace maxlat::npt
