// SPDX-License-Identifier: MIT
#include "compare_command.hpp"

#include <fmt/format.h>

#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <optional>

#include "arms_run.hpp"
#include "comparison_run.hpp"
#include "comparison_text.hpp"
#include "load/kernel_trace_load.hpp"
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

// A run of an arm, beside the load where there is one. The events that it had in this run: a round in which it was none
// must not count.
std::vector<core::Phase> run_of_arm(const ArmProcess& process, const std::string& arm, const core::Arguments& more,
                                    const std::optional<KernelTraceLoad>& load) {
  const auto before = load ? load->counts() : KernelTraceLoad::Counts();
  std::vector<core::Phase> phases = phases_of_arm(process, arm, more);
  if (load)
    for (core::Phase& phase : phases) load->enter(phase, load->counts().since(before));
  return phases;
}

std::string head_text(const NptArguments& arguments, unsigned cpu, unsigned complete_rounds, const std::string& load) {
  return fmt::format("# CPU {}, {} of {} rounds, seed {}, base {}\n{}", cpu, complete_rounds, arguments.rounds,
                     arguments.seed, arguments.compared_arms.front(), load.empty() ? "" : "# " + load + "\n");
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
  std::optional<KernelTraceLoad> load;
  if (arguments.kernel_trace_load)
    if (core::Status status = load.emplace().start(*arguments.kernel_trace_load, process->cpu); !status)
      return status.error();

  ComparedArms compared;
  {
    // Not OutOfTheWay: between two processes the stop signals are ours to see.
    const core::OffCpus off_the_cpu({process->cpu});
    RunProgress progress("compare", arguments.quiet);
    progress.note(announcement(arguments, *process));
    compared = compare_arms(
        {.arms = arguments.compared_arms, .rounds = arguments.rounds, .seed = arguments.seed},
        [&](const std::string& arm) { return run_of_arm(*process, arm, more, load); },
        [&](unsigned round, const std::string& arm, std::size_t done, std::size_t of) {
          progress.show(done, of, each_s + kAroundARun_s, fmt::format("round {}, {}", round, arm));
        });
  }
  core::RunResult run = run_record("npt --compare", started, machine);
  run.seed = arguments.seed;
  if (compared.interrupted) run.state = core::RunResult::State::interrupted;
  run.phases = std::move(compared.phases);
  run.comparisons = std::move(compared.comparisons);
  const std::string beside = load ? load->text(load->counts()) : "";
  for (core::Phase& phase : run.phases) {
    phase.command = command_text(words);
    if (load) phase.facts["load"] = beside;  // of all rounds and arms together: each was measured beside the same
  }
  return finish(run, head_text(arguments, process->cpu, compared.complete_rounds, beside) + comparison_text(run),
                arguments, run.comparisons.empty());
}

}  // namespace maxlat::npt
