// SPDX-License-Identifier: MIT
#include "run_record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/sys/process.hpp>

#include "measurement_of_runs.hpp"

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
  core::RunResult run;
  run.id = fmt::format("npt-{}-{}", started, ::getpid());
  run.tool = "maxlat " MAXLAT_VERSION;
  run.started = started;
  run.ended = utc_now();
  run.plan = plan;
  run.state = core::RunResult::State::complete;
  run.machine = machine.fingerprint;
  run.verdict.not_comparable = machine.not_comparable;
  return run;
}

}  // namespace maxlat::npt
