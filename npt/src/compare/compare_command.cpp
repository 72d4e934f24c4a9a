// SPDX-License-Identifier: MIT
#include "compare/compare_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <maxlat/core/duration.hpp>
#include <maxlat/core/process.hpp>
#include <maxlat/core/progress.hpp>
#include <maxlat/core/stop.hpp>

#include "compare/arm_process.hpp"
#include "compare/comparison_run.hpp"
#include "compare/comparison_text.hpp"
#include "compare/maximum_rate.hpp"
#include "measurement_of_runs.hpp"
#include "run_record.hpp"
#include "surroundings.hpp"

namespace maxlat::npt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kTrial_ns = 2'000'000'000;
// Of starting a process, its clock and its books, before and after the loop; for "it will take".
constexpr double kAroundARun_s = 0.3;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string seconds_option(double seconds) {
  return fmt::format("--wall-time={:.0f}ns", seconds * 1e9);
}

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

core::Result<ArmProcess> arm_process(const NptArguments& arguments) {
  auto cpu = measured_cpu(arguments.measurement);
  if (!cpu) return cpu.error();
  auto allowed = core::allowed_cpus();
  if (!allowed) return allowed.error();
  return ArmProcess{core::own_executable(), *cpu, *allowed, arguments.for_each_process};
}

core::Status print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return {};
  return core::system_error("cannot write the report to standard output", errno);
}

// Both are tried: what was measured must not be lost because one disk is full.
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

// An arm that could not run is told and is no failure of the others, unless nothing was left.
core::Result<core::Exit> exit_of(const core::RunResult& run, bool something_was_measured) {
  if (const core::Phase* failed = first_with(run, core::PhaseStatus::failed))
    return error_of(*failed, core::Exit::error);
  if (const core::Phase* invalid = first_with(run, core::PhaseStatus::invalid))
    return error_of(*invalid, core::Exit::invalid);
  if (const core::Phase* skipped = first_with(run, core::PhaseStatus::skipped); skipped && !something_was_measured)
    return error_of(*skipped, core::Exit::cannot_run);
  return core::Exit::pass;
}

void judge(core::RunResult& run) {
  for (const core::Phase& phase : run.phases) {
    if (phase.status != core::PhaseStatus::invalid && phase.status != core::PhaseStatus::failed) continue;
    run.verdict.kind = core::Verdict::Kind::invalid;
    run.verdict.reasons.push_back(phase.name + ": " + phase.reason);
  }
  for (const core::Comparison& comparison : run.comparisons) run.verdict.reasons.push_back(comparison.verdict);
}

// Progress over runs of the same length: the longer it goes on, the better it knows how long one takes.
class RunProgress {
 public:
  RunProgress(const char* what, bool quiet) : what_(what), progress_(quiet) {}
  void note(const std::string& line) { progress_.note(line); }
  void show(std::size_t done, std::size_t of, double expected_each_s, const std::string& more) {
    const double each_s = done == 0 ? expected_each_s : seconds_since(start_) / static_cast<double>(done);
    progress_.show(what_, static_cast<double>(done) / static_cast<double>(of),
                   std::chrono::seconds(static_cast<long>(each_s * static_cast<double>(of - done) + 0.5)), more);
  }

 private:
  const char* what_;
  core::Progress progress_;
  Clock::time_point start_ = Clock::now();
};

std::string announcement(const NptArguments& arguments, const ArmProcess& process) {
  const std::size_t arms = arguments.compared_arms.size();
  std::string text = fmt::format("comparing on CPU {}: {} rounds of {} arms and the base again, seed {}", process.cpu,
                                 arguments.rounds, arms, arguments.seed);
  if (const double each_s = static_cast<double>(arguments.measurement.duration_ns) / 1e9; each_s > 0)
    text += fmt::format(
        "; about {}", core::duration_text(arguments.rounds * static_cast<double>(arms + 1) * (each_s + kAroundARun_s)));
  return text;
}

core::Arguments words_of(const core::Arguments& a, const core::Arguments& b) {
  core::Arguments words = a;
  words.insert(words.end(), b.begin(), b.end());
  return words;
}

}  // namespace

core::Result<core::Exit> run_comparison(const NptArguments& arguments, const core::Arguments& words) {
  auto process = arm_process(arguments);
  if (!process) return process.error();
  const Machine machine = arguments.json_file.empty() ? Machine{} : read_machine({process->cpu});
  const std::string started = utc_now();
  const double each_s = static_cast<double>(arguments.measurement.duration_ns) / 1e9;
  core::Arguments more = rest_options(arguments.measurement);
  if (arguments.measurement.duration_ns != 0) more.push_back(seconds_option(each_s));

  ComparedArms compared;
  {
    const OutOfTheWay out_of_the_way({process->cpu});
    RunProgress progress("compare", arguments.quiet);
    progress.note(announcement(arguments, *process));
    compared = compare_arms(
        {.arms = arguments.compared_arms, .rounds = arguments.rounds, .seed = arguments.seed},
        [&](const std::string& arm) { return run_arm(*process, arm, more); },
        [&](unsigned round, const std::string& arm, std::size_t done, std::size_t of) {
          progress.show(done, of, each_s + kAroundARun_s, fmt::format("round {}, {}", round, arm));
        });
  }
  core::RunResult run = run_record("npt --compare", started, machine);
  run.seed = arguments.seed;
  if (compared.interrupted) run.state = core::RunResult::State::interrupted;
  run.phases = std::move(compared.phases);
  run.comparisons = std::move(compared.comparisons);
  for (core::Phase& phase : run.phases) phase.command = command_text(words);
  judge(run);

  const std::string head =
      fmt::format("# CPU {}, {} of {} rounds, seed {}, base {}\n", process->cpu, compared.complete_rounds,
                  arguments.rounds, arguments.seed, arguments.compared_arms.front());
  if (core::Status written = write(run, head + comparison_text(run), arguments); !written) return written.error();
  return exit_of(run, !run.comparisons.empty());
}

namespace {

// An interrupted trial has measured nothing: its shorter time may just not have been long enough to lose an event.
core::Result<core::RateTrial> trial_of(const core::Phase& phase, double hz) {
  if (phase.status == core::PhaseStatus::interrupted) return core::Error{"interrupted"};
  if (phase.status != core::PhaseStatus::ok)
    return core::Error{phase.reason, "",
                       phase.status == core::PhaseStatus::skipped   ? core::Exit::cannot_run
                       : phase.status == core::PhaseStatus::invalid ? core::Exit::invalid
                                                                    : core::Exit::error};
  if (!phase.events || phase.events->produced == 0 || phase.exposure_s <= 0)
    return core::Error{"it has no books of its events, so nothing can be called lost", "", core::Exit::cannot_run};
  const core::EventCounts& events = *phase.events;
  return core::RateTrial{.asked_hz = hz,
                         .produced_hz = static_cast<double>(events.produced) / phase.exposure_s,
                         .lost = events.produced - std::min(events.produced, events.recorded),
                         .exposure_s = phase.exposure_s,
                         .confirmation = false};
}

core::PhaseStatus status_of(const core::Error& error) {
  if (core::stop_requested().load(std::memory_order_relaxed)) return core::PhaseStatus::interrupted;
  if (error.exit_status == core::Exit::cannot_run) return core::PhaseStatus::skipped;
  return error.exit_status == core::Exit::invalid ? core::PhaseStatus::invalid : core::PhaseStatus::failed;
}

// The phase of an arm is its last trial, which is the confirmation when there is one.
core::Phase rate_of_arm(const std::string& arm, const ArmProcess& process, const NptArguments& arguments,
                        RunProgress& progress) {
  const core::Arguments rest = rest_options(arguments.measurement);
  core::Phase last;
  std::size_t trials = 0;
  const auto found = find_maximum_rate(
      static_cast<double>(arguments.measurement.duration_ns) / 1e9,
      [&](double hz, double seconds) -> core::Result<core::RateTrial> {
        constexpr std::size_t kUsualTrials = 10;
        progress.show(std::min(trials, kUsualTrials), kUsualTrials + 1, seconds + kAroundARun_s,
                      fmt::format("{}: trial {}, {}", arm, trials + 1,
                                  hz == 0 ? std::string("as fast as it goes") : fmt::format("{:.6g} /s", hz)));
        ++trials;
        core::Arguments more = words_of(rest, {seconds_option(seconds)});
        if (hz > 0) more.push_back(fmt::format("--tp-max-freq={:.0f}", hz));
        last = run_arm(process, arm, more);
        return trial_of(last, hz);
      });
  core::Phase phase = std::move(last);
  phase.kind = "tracer";
  phase.arm = arm;
  phase.name = "maximum rate: " + arm;
  if (found) {
    phase.maximum_rate = *found;
    return phase;
  }
  phase.status = status_of(found.error());
  phase.reason = found.error().text;
  return phase;
}

}  // namespace

core::Result<core::Exit> run_rate_search(const NptArguments& arguments, const core::Arguments& words) {
  auto process = arm_process(arguments);
  if (!process) return process.error();
  const Machine machine = arguments.json_file.empty() ? Machine{} : read_machine({process->cpu});
  NptArguments timed = arguments;
  if (timed.measurement.duration_ns == 0) timed.measurement.duration_ns = kTrial_ns;
  const std::string started = utc_now();
  core::RunResult run;
  std::vector<core::Phase> phases;
  {
    const OutOfTheWay out_of_the_way({process->cpu});
    RunProgress progress("find-max-rate", arguments.quiet);
    for (const std::string& arm : arguments.rated_arms) {
      if (core::stop_requested().load(std::memory_order_relaxed)) break;
      phases.push_back(rate_of_arm(arm, *process, timed, progress));
      phases.back().command = command_text(words);
    }
  }
  run = run_record("npt --find-max-rate", started, machine);
  run.phases = std::move(phases);
  if (core::stop_requested().load(std::memory_order_relaxed)) run.state = core::RunResult::State::interrupted;
  judge(run);
  if (core::Status written = write(run, maximum_rate_text(run), arguments); !written) return written.error();
  return exit_of(run, std::any_of(run.phases.begin(), run.phases.end(),
                                  [](const core::Phase& phase) { return phase.maximum_rate.has_value(); }));
}

}  // namespace maxlat::npt
