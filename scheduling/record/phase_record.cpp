// SPDX-License-Identifier: MIT
#include "phase_record.hpp"

#include <fmt/format.h>

#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/result/run_frame.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/utc.hpp>

namespace maxlat::scheduling {

PhaseRecord::PhaseRecord(const std::string& path, const std::string& name, const core::Arguments& arguments,
                         const core::CpuList& measured)
    : path_(path), run_(core::run_frame(name, core::utc_text())) {
  if (path_.empty()) return;
  core::say_machine(run_, {.measured_cpus = measured});
  run_.verdict.reasons.push_back(fmt::format("maxlat {} measures; maxlat run and maxlat gate judge", name));
  core::Arguments command{"maxlat", name};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command_ = core::quote_command(command);
}

core::Status PhaseRecord::write_ended(core::Phase phase, const std::string& failed) {
  core::say_failed(run_, failed);
  const bool interrupted = phase.status == core::PhaseStatus::interrupted;
  return write(std::move(phase), interrupted ? core::RunResult::State::interrupted : core::RunResult::State::complete);
}

core::Status PhaseRecord::write(core::Phase phase, core::RunResult::State state) {
  if (path_.empty()) return {};
  phase.command = command_;
  phase.started = run_.started;
  phase.duration_s = core::seconds_since(start_);
  run_.state = state;
  run_.ended = state == core::RunResult::State::running ? "" : core::utc_text();
  run_.phases = {std::move(phase)};
  return core::write_run(path_, run_);
}

}  // namespace maxlat::scheduling
