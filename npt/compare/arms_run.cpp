// SPDX-License-Identifier: MIT
#include "arms_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <maxlat/core/sys/process.hpp>

namespace maxlat::npt {
namespace {

// The one CPU that all processes measure.
core::Result<unsigned> measured_cpu(const Options& options) {
  core::CpuList cpus = options.cpus;
  if (cpus.empty()) {
    auto chosen = default_cpus();
    if (!chosen) return chosen.error();
    cpus = *chosen;
  }
  if (core::Status usable = core::require_usable(cpus); !usable) return usable.error();
  if (cpus.size() != 1)
    return core::Error{fmt::format("{} CPUs to measure: arms are compared on one", cpus.size()),
                       "give it with -a; the tracers' consumers take another"};
  return cpus.front();
}

core::Status print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return {};
  return core::system_error("cannot write the report to standard output", errno);
}

core::Status write(const core::RunResult& run, const std::string& text, const NptArguments& arguments) {
  core::Status printed, written;
  if (arguments.json_file != "-") printed = print(text);
  if (!arguments.json_file.empty()) written = core::write_run(arguments.json_file, run);
  return printed ? written : printed;
}

const core::Phase* first_with(const core::RunResult& run, core::PhaseStatus status) {
  const auto found = std::find_if(run.phases.begin(), run.phases.end(),
                                  [&](const core::Phase& phase) { return phase.status == status; });
  return found == run.phases.end() ? nullptr : &*found;
}

core::Error error_of(const core::Phase& phase, core::Exit exit_status) {
  return {fmt::format("{}: {}", phase.arm, phase.reason), "", exit_status};
}

void judge(core::RunResult& run) {
  for (const core::Phase& phase : run.phases) {
    if (phase.status != core::PhaseStatus::invalid && phase.status != core::PhaseStatus::failed) continue;
    run.verdict.kind = core::Verdict::Kind::invalid;
    run.verdict.reasons.push_back(phase.name + ": " + phase.reason);
  }
}

core::Result<core::Exit> exit_of(const core::RunResult& run, bool nothing_was_measured) {
  if (const core::Phase* failed = first_with(run, core::PhaseStatus::failed))
    return error_of(*failed, core::Exit::error);
  if (const core::Phase* invalid = first_with(run, core::PhaseStatus::invalid))
    return error_of(*invalid, core::Exit::invalid);
  if (const core::Phase* skipped = first_with(run, core::PhaseStatus::skipped); skipped && nothing_was_measured)
    return error_of(*skipped, core::Exit::cannot_run);
  return core::Exit::pass;
}

}  // namespace

core::Result<ArmProcess> arm_process(const NptArguments& arguments) {
  auto cpu = measured_cpu(arguments.measurement);
  if (!cpu) return cpu.error();
  auto allowed = core::allowed_cpus();
  if (!allowed) return allowed.error();
  return ArmProcess{core::own_executable(), *cpu, *allowed, arguments.for_each_process};
}

std::vector<std::string> numbered(const std::vector<std::string>& arms) {
  std::vector<std::string> labels;
  for (auto arm = arms.begin(); arm != arms.end(); ++arm) {
    const auto earlier = std::count(arms.begin(), arm, *arm);
    labels.push_back(earlier == 0 ? *arm : fmt::format("{} ({})", *arm, earlier + 1));
  }
  return labels;
}

std::string seconds_option(double seconds) {
  return fmt::format("--wall-time={:.0f}ns", seconds * 1e9);
}

core::Result<core::Exit> finish(core::RunResult& run, const std::string& text, const NptArguments& arguments,
                                bool nothing_was_measured) {
  judge(run);
  if (core::Status written = write(run, text, arguments); !written) return written.error();
  return exit_of(run, nothing_was_measured);
}

void RunProgress::show(std::size_t done, std::size_t of, double expected_each_s, const std::string& more) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const double each_s = done == 0 ? expected_each_s : elapsed.count() / static_cast<double>(done);
  progress_.show(what_, static_cast<double>(done) / static_cast<double>(of),
                 std::chrono::seconds(static_cast<long>(each_s * static_cast<double>(of - done) + 0.5)), more);
}

}  // namespace maxlat::npt
