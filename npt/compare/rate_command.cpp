// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <optional>

#include "arms_run.hpp"
#include "compare_command.hpp"
#include "comparison_text.hpp"
#include "load/kernel_trace_load.hpp"
#include "loop/measurement_of_runs.hpp"
#include "loop/run_record.hpp"
#include "maximum_rate.hpp"
#include "prepared_memory.hpp"
#include "stolen_time.hpp"
#include "trial_traces.hpp"

namespace maxlat::npt {
namespace {

constexpr std::uint64_t kTrial_ns = 1'000'000'000;
// What the trace of a trial may take, generously.
constexpr double kFastLoop_hz = 40e6;
constexpr double kBytesAnEvent = 48;
constexpr double kTimesTheRings = 8;  // a trace of less was a good part buffered
constexpr double kMiB = 1 << 20;
constexpr std::string_view kNoArm = "none";  // its own message says that it has no events

std::uint64_t bytes_of_trace(double hz, double seconds) {
  return static_cast<std::uint64_t>((hz > 0 ? hz : kFastLoop_hz) * seconds * kBytesAnEvent);
}

// An interrupted trial has measured nothing: its shorter time may just not have been long enough to lose an event.
core::Result<core::RateTrial> trial_of(const core::Phase& phase, double hz) {
  if (phase.status == core::PhaseStatus::interrupted) return core::Error{"interrupted"};
  if (phase.status != core::PhaseStatus::ok)
    return core::Error{phase.reason, "",
                       phase.status == core::PhaseStatus::skipped   ? core::Exit::cannot_run
                       : phase.status == core::PhaseStatus::invalid ? core::Exit::invalid
                                                                    : core::Exit::error};
  if (!phase.events || phase.events->produced == 0 || phase.exposure_s <= 0)
    return core::Error{"this arm does not say how many events it produced and recorded, so no loss can be seen", "",
                       core::Exit::cannot_run};
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

// The trials of one arm: each a process of its own, with memory to write to.
class ArmTrials {
 public:
  ArmTrials(const std::string& arm, const ArmProcess& process, const NptArguments& arguments, TrialTraces& traces)
      : arm_(arm), process_(process), traces_(traces), progress_("find-max-rate", arguments.quiet) {}

  core::Result<core::RateTrial> run(double hz, double seconds) {
    progress_.show(std::min(number_, kUsualTrials), kUsualTrials + 1, seconds + kAroundARun_s,
                   fmt::format("{}: trial {}, {}", arm_, number_ + 1,
                               hz == 0 ? std::string("as fast as it goes") : fmt::format("{:.6g} /s", hz)));
    ++number_;
    core::Arguments more{seconds_option(seconds)};
    if (hz > 0) more.push_back(fmt::format("--tp-max-freq={:.0f}", hz));
    const TrialTraces::OfOne trace = traces_.next();
    if (const auto option = trace.option(); option && arm_ != kNoArm) more.push_back(*option);
    memory_.prepare(bytes_expected(hz, seconds));
    const double stolen_before_s = stolen_time_s();
    last_ = run_arm(process_, arm_, more);
    auto trial = trial_of(last_, hz);
    if (!trial) return trial;
    trial->stolen_s = std::max(0.0, stolen_time_s() - stolen_before_s);
    if (const auto bytes = last_.facts.find(core::fact::kTraceBytes); bytes != last_.facts.end())
      most_bytes_a_second_ =
          std::max(most_bytes_a_second_, std::strtod(bytes->second.c_str(), nullptr) / trial->exposure_s);
    return trial;
  }

  core::Phase take_last() { return std::move(last_); }

 private:
  static constexpr std::size_t kUsualTrials = 15;
  static constexpr double kReserve = 1.25;

  // After the first trial it is known what its consumer writes at most.
  std::uint64_t bytes_expected(double hz, double seconds) const {
    const std::uint64_t at_most = bytes_of_trace(hz, seconds);
    if (most_bytes_a_second_ == 0) return at_most;
    return std::min(at_most, static_cast<std::uint64_t>(kReserve * most_bytes_a_second_ * seconds));
  }

  const std::string& arm_;
  const ArmProcess& process_;
  TrialTraces& traces_;
  RunProgress progress_;
  PreparedMemory memory_;
  core::Phase last_;
  std::size_t number_ = 0;
  double most_bytes_a_second_ = 0;
};

// What the rings hold at the end of a trial they did not have to hand on.
void warn_of_short_trials(core::Phase& phase, const std::string& spec) {
  const auto arm = parse_arm(spec);
  const auto trace = phase.facts.find(core::fact::kTraceBytes);
  if (!arm || trace == phase.facts.end()) return;
  const double rings = static_cast<double>(arm->sub_buffers * arm->sub_buffer_bytes);
  const double written = std::strtod(trace->second.c_str(), nullptr);
  if (written >= kTimesTheRings * rings) return;
  phase.warnings.push_back(fmt::format(
      "the last trial's trace has {:.1f} MiB and the rings hold {:.1f}: for longer its consumer may not bear "
      "this rate; a longer --duration tells",
      written / kMiB, rings / kMiB));
}

// A trial counts only beside the load, and none is begun where that is gone.
core::Result<core::RateTrial> trial_beside(const std::optional<KernelTraceLoad>& load, ArmTrials& trials, double hz,
                                           double seconds) {
  const auto is_there = [&load] { return load ? load->status() : core::Status(); };
  const auto no_trial = [](const core::Status& gone) {
    return core::Error{gone.error().text, "", core::Exit::invalid};
  };
  if (const core::Status there = is_there(); !there) return no_trial(there);
  auto trial = trials.run(hz, seconds);
  if (const core::Status there = is_there(); !there) return no_trial(there);
  return trial;
}

// The phase of an arm is its last trial, which is one of the confirmation when there was one. What was found before the
// search was interrupted, or before a consumer died, is in it.
core::Phase rate_of_arm(const std::string& arm, const std::string& label, const ArmProcess& process,
                        const NptArguments& arguments, TrialTraces& traces,
                        const std::optional<KernelTraceLoad>& load) {
  ArmTrials trials(arm, process, arguments, traces);
  const auto trial = [&](double hz, double seconds) { return trial_beside(load, trials, hz, seconds); };
  const RateSearch search =
      find_maximum_rate(static_cast<double>(arguments.measurement.duration_ns) / 1e9, trial);
  core::Phase phase = trials.take_last();
  phase.kind = core::kTracerKind.name;
  phase.arm = label;
  phase.name = "maximum rate: " + label;
  phase.facts["traces written to"] = traces.where();
  if (!search.found.trials.empty()) phase.maximum_rate = search.found;
  if (search.status) {
    warn_of_short_trials(phase, arm);
    return phase;
  }
  phase.status = status_of(search.status.error());
  phase.reason = phase.status == core::PhaseStatus::interrupted
                     ? fmt::format("interrupted after {} trials", search.found.trials.size())
                     : search.status.error().text;
  return phase;
}

}  // namespace

core::Result<core::Exit> run_rate_search(const NptArguments& arguments, const core::Arguments& words) {
  auto process = arm_process(arguments);
  if (!process) return process.error();
  const Machine machine = arguments.json_file.empty() ? Machine{} : read_machine({process->cpu});
  NptArguments timed = arguments;
  if (timed.measurement.duration_ns == 0) timed.measurement.duration_ns = kTrial_ns;
  std::optional<KernelTraceLoad> load;
  if (arguments.kernel_trace_load)
    if (core::Status status = load.emplace().start(*arguments.kernel_trace_load, process->cpu); !status)
      return status.error();
  const std::string started = core::utc_text();
  TrialTraces traces(
      bytes_of_trace(0, kConfirmationIsLonger * static_cast<double>(timed.measurement.duration_ns) / 1e9));
  std::vector<core::Phase> phases;
  {
    // Not OutOfTheWay: between two processes the stop signals are ours to see.
    const core::OffCpus off_the_cpu({process->cpu});
    const std::vector<std::string> labels = numbered(arguments.rated_arms);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (core::stop_requested().load(std::memory_order_relaxed)) break;
      const auto before = load ? load->counts() : KernelTraceLoad::Counts();
      phases.push_back(rate_of_arm(arguments.rated_arms[i], labels[i], *process, timed, traces, load));
      phases.back().command = command_text(words);
      if (load) load->enter(phases.back(), load->counts().since(before));
    }
  }
  core::RunResult run = run_record("npt --find-max-rate", started, machine);
  run.phases = std::move(phases);
  if (core::stop_requested().load(std::memory_order_relaxed)) run.state = core::RunResult::State::interrupted;
  return finish(run, maximum_rate_text(run), arguments,
                std::none_of(run.phases.begin(), run.phases.end(),
                             [](const core::Phase& phase) { return phase.maximum_rate.has_value(); }));
}

}  // namespace maxlat::npt
