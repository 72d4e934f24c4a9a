// SPDX-License-Identifier: MIT
#include "compare_command.hpp"

#include <fmt/format.h>

#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/utc.hpp>

#include "arms_run.hpp"
#include "comparison_run.hpp"
#include "comparison_text.hpp"
#include "loop/measurement_of_runs.hpp"
#include "loop/run_record.hpp"

namespace maxlat::npt {
namespace {

std::string announcement(const NptArguments& arguments, const ArmProcess& process) {
  const std::size_t arms = arguments.compared_arms.size();
  std::string text = fmt::format("comparing on CPU {}: {} rounds of {} arms and the base again, seed {}", process.cpu,
                                 arguments.rounds, arms, arguments.seed);
  if (const double each_s = static_cast<double>(arguments.measurement.duration_ns) / 1e9; each_s > 0)
    text += fmt::format(
        "; about {}", core::duration_text(arguments.rounds * static_cast<double>(arms + 1) * (each_s + kAroundARun_s)));
  return text;
}

}  // namespace

core::Result<core::Exit> run_comparison(const NptArguments& arguments, const core::Arguments& words) {
  auto process = arm_process(arguments);
  if (!process) return process.error();
  const Machine machine = arguments.json_file.empty() ? Machine{} : read_machine({process->cpu});
  const std::string started = core::utc_text();
  const double each_s = static_cast<double>(arguments.measurement.duration_ns) / 1e9;
  core::Arguments more;
  if (arguments.measurement.duration_ns != 0) more.push_back(seconds_option(each_s));

  ComparedArms compared;
  {
    // Not OutOfTheWay: between two processes the stop signals are ours to see.
    const core::OffCpus off_the_cpu({process->cpu});
    RunProgress progress("compare", arguments.quiet);
    progress.note(announcement(arguments, *process));
    compared = compare_arms(
        {.arms = arguments.compared_arms, .rounds = arguments.rounds, .seed = arguments.seed},
        [&](const std::string& arm) { return phases_of_arm(*process, arm, more); },
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

  const std::string head =
      fmt::format("# CPU {}, {} of {} rounds, seed {}, base {}\n", process->cpu, compared.complete_rounds,
                  arguments.rounds, arguments.seed, arguments.compared_arms.front());
  return finish(run, head + comparison_text(run), arguments, run.comparisons.empty());
}

}  // namespace maxlat::npt
