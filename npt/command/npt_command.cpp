// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/progress.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/npt/measure.hpp>
#include <maxlat/npt/npt_command.hpp>

#include "compare/compare_command.hpp"
#include "loop/run_record.hpp"
#include "loop/throttling.hpp"
#include "options.hpp"
#include "text/cyclictest_text.hpp"
#include "text/npt_text.hpp"

namespace maxlat::npt {
namespace {

constexpr unsigned kCyclictestRows = 400;

const char* throttling_hint(const Options& options) {
  if (!options.arm.is_none()) return "";
  return options.rest_ns == 0
             ? "leave --rest out, and it sleeps before it is stopped; or turn throttling off (maxlat check "
               "says how)"
             : "a longer --rest, or turn throttling off (maxlat check says how)";
}

const char* hint_of(const Measurement& invalid, const Options& options) {
  if (invalid.starved) return kStarvedHint;
  return invalid.left_cpu ? "" : throttling_hint(options);
}

// `given`: the user has said how long; how it is spread is the scheduler's matter all the same.
void rest_as_needed(Options& options, bool given) {
  const core::RtThrottling throttling = core::read_rt_throttling("/", options.cpus);
  options.rest_parts = rest_parts(throttling);
  if (given) return;
  Rest rest = needed_rest(options.scheduling.policy, throttling, options.duration_ns);
  options.rest_ns = rest.ns;
  options.rest_why = std::move(rest.why);
}

// Said first: a reader of the exposure asks where the rest of the time is.
std::string rest_line(const Options& options) {
  if (options.rest_why.empty()) return {};
  return fmt::format("# Rest: {} of each second{}, because {}; --rest 0 spins\n",
                     core::duration_text(static_cast<double>(options.rest_ns) / 1e9),
                     options.rest_parts == 1 ? "" : fmt::format(", in {} parts", options.rest_parts), options.rest_why);
}

// `phase` is the traced one, or the only one; the others are further looks at the same run.
core::RunResult run_of(const core::Phase& phase, const NptArguments& arguments, const Machine& machine,
                       bool limit_exceeded, const std::vector<core::Phase>& others = {}) {
  core::RunResult run = run_record("npt", phase.started, machine);
  if (phase.status == core::PhaseStatus::interrupted) run.state = core::RunResult::State::interrupted;
  run.phases.push_back(phase);
  run.phases.insert(run.phases.end(), others.begin(), others.end());
  core::Verdict& verdict = run.verdict;
  if (arguments.measurement.break_above_ns != 0) {
    double max_ns = 0;
    for (const core::Phase& measured : run.phases)
      for (const core::CpuResult& cpu : measured.per_cpu) max_ns = std::max(max_ns, cpu.max_ns);
    const auto outcome = limit_exceeded ? core::RuleResult::Outcome::fail : core::RuleResult::Outcome::pass;
    verdict.kind = limit_exceeded ? core::Verdict::Kind::fail : core::Verdict::Kind::pass;
    for (const core::Phase& measured : run.phases)
      if (const auto found = measured.facts.find(core::fact::kBreak); found != measured.facts.end())
        verdict.reasons.push_back(found->second);
    if (!limit_exceeded && phase.status == core::PhaseStatus::interrupted) {
      verdict.kind = core::Verdict::Kind::not_gated;
      verdict.reasons.push_back("within the limit so far, but it did not run to its end: " + phase.reason);
    }
    verdict.rules.push_back({"npt: max_ns", fmt::format("<= {} ns", arguments.measurement.break_above_ns),
                             fmt::format("{:.0f} ns", max_ns), outcome});
  }
  if (phase.status == core::PhaseStatus::invalid) {
    verdict.kind = core::Verdict::Kind::invalid;
    verdict.reasons.push_back(phase.reason);
    for (core::RuleResult& rule : verdict.rules) rule.outcome = core::RuleResult::Outcome::invalid;
  }
  return run;
}

// The phase in which a gap above the limit ended the run; null when none did.
const core::Phase* broken_phase(const Measurement& measurement) {
  if (measurement.limit_exceeded) return &measurement.phase;
  return measurement.waiting && measurement.waiting->limit_exceeded ? &measurement.waiting->phase : nullptr;
}

core::Error break_error(const core::Phase& phase, uint64_t limit_ns) {
  return {fmt::format("{}: above the limit of {}", phase.facts.at(core::fact::kBreak),
                      core::latency_text(static_cast<double>(limit_ns))),
          "", core::Exit::limit_exceeded};
}

std::vector<core::Phase> other_phases(const Measurement& measurement) {
  std::vector<core::Phase> phases;
  if (measurement.waiting) phases.push_back(measurement.waiting->phase);
  if (measurement.event_gaps) phases.push_back(*measurement.event_gaps);
  return phases;
}

std::string screen_text(const Measurement& measurement, const NptArguments& arguments) {
  const unsigned rows = arguments.histogram_rows == 0 ? kCyclictestRows : arguments.histogram_rows;
  if (arguments.layout == Layout::cyclictest) {
    const bool with_rows = !arguments.quiet || arguments.histogram_rows != 0;  // cyclictest's -q -h prints them
    return cyclictest_text(measurement, rows, with_rows);
  }
  const TextOptions options{arguments.unit, !arguments.quiet, arguments.verbose};
  std::string text = npt_screen(measurement, options);
  if (measurement.waiting) text += npt_screen(*measurement.waiting, options);
  const bool rows_on_screen = arguments.histogram_rows != 0 && arguments.histogram_file.empty();
  if (rows_on_screen) text += cyclictest_text(measurement, rows);
  return text;
}

core::Status check_files(const NptArguments& arguments) {
  for (const std::string* file : {&arguments.json_file, &arguments.output_file, &arguments.histogram_file}) {
    if (file->empty()) continue;
    if (core::Status writable = core::check_writable(*file); !writable) return writable;
  }
  return {};
}

// Everything is tried, also after a failure: what was measured must not be lost because one disk is full. The first
// failure is the result.
core::Status write_results(const Measurement& measurement, const NptArguments& arguments, const Machine& machine) {
  core::Status first;
  const auto keep_first = [&](core::Status status) {
    if (first && !status) first = std::move(status);
  };
  if (arguments.json_file != "-") {
    const std::string text = rest_line(arguments.measurement) + screen_text(measurement, arguments);
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      keep_first(core::system_error("cannot write the report to standard output", errno));
  }
  if (!arguments.output_file.empty())
    keep_first(core::write_atomically(arguments.output_file, npt_file(measurement, arguments.unit)));
  if (!arguments.histogram_file.empty()) {
    const unsigned rows = arguments.histogram_rows == 0 ? kCyclictestRows : arguments.histogram_rows;
    keep_first(core::write_atomically(arguments.histogram_file, cyclictest_text(measurement, rows)));
  }
  if (!arguments.raw_file.empty()) keep_first(core::write_raw_gaps(arguments.raw_file, measurement.raw));
  if (!arguments.json_file.empty())
    keep_first(
        core::write_run(arguments.json_file, run_of(measurement.phase, arguments, machine,
                                                    broken_phase(measurement) != nullptr, other_phases(measurement))));
  return first;
}

Observer observer_of(const NptArguments& arguments, const Machine& machine, core::Progress& progress,
                     const std::string& command) {
  Observer observer;
  const double duration_s = static_cast<double>(arguments.measurement.duration_ns) / 1e9;
  if (!arguments.quiet && duration_s > 0)
    observer.on_second = [&progress, duration_s](double elapsed_s, double max_ns) {
      progress.show("npt", elapsed_s / duration_s,
                    std::chrono::seconds(static_cast<int64_t>(std::max(0.0, duration_s - elapsed_s))),
                    "max " + core::latency_text(max_ns));
    };
  if (arguments.measurement.snapshot_period_ns != 0)
    observer.on_snapshot = [&arguments, &machine, &progress, command](core::Phase phase) {
      phase.command = command;
      // A snapshot that fails is not the end: the disk may have room again at the next one.
      if (const core::Status written = core::write_run(arguments.json_file, run_of(phase, arguments, machine, false));
          !written)
        progress.note("maxlat npt: snapshot: " + written.error().text);
    };
  return observer;
}

// An arm that cannot run here, or a loop that got no CPU, is a result, too: a phase with the reason.
core::Error not_measured(const core::Error& error, const NptArguments& arguments, const Machine& machine,
                         const std::string& command) {
  const bool is_result = error.exit_status == core::Exit::cannot_run || error.exit_status == core::Exit::invalid;
  if (!is_result || arguments.json_file.empty()) return error;
  core::Phase phase = unmeasured_phase(arguments.measurement, error);
  phase.command = command;
  if (core::Status written = core::write_run(arguments.json_file, run_of(phase, arguments, machine, false)); !written)
    return written.error();
  return error;
}

core::Result<core::Exit> run(const core::Arguments& words) {
  auto arguments = parse_arguments(words);
  if (!arguments) return arguments.error();
  if (arguments->show != NptArguments::Show::run) {
    fmt::print("{}", arguments->show == NptArguments::Show::help ? npt_help() : npt_version());
    return core::Exit::pass;
  }
  if (core::Status writable = check_files(*arguments); !writable) return writable.error();
  core::catch_stop_signals();
  if (!arguments->compared_arms.empty()) return run_comparison(*arguments, words);
  if (!arguments->rated_arms.empty()) return run_rate_search(*arguments, words);
  Options& options = arguments->measurement;
  if (options.cpus.empty()) {
    auto cpus = default_cpus();
    if (!cpus) return cpus.error();
    options.cpus = *cpus;
  }
  if (core::Status writable = core::check_raw_files(arguments->raw_file, options.cpus); !writable)
    return writable.error();
  rest_as_needed(options, arguments->rest_given);
  const Machine machine = arguments->json_file.empty() ? Machine{} : read_machine(options.cpus);
  core::Progress progress(arguments->quiet);
  if (options.loops == 0 && options.duration_ns == 0) progress.note("running until SIGINT (Ctrl-C)");
  const std::string command = command_text(words);
  auto measurement = measure(options, observer_of(*arguments, machine, progress, command));
  if (!measurement) return not_measured(measurement.error(), *arguments, machine, command);
  measurement->phase.command = command;
  if (measurement->waiting) measurement->waiting->phase.command = command;
  if (measurement->event_gaps) measurement->event_gaps->command = command;
  if (core::Status written = write_results(*measurement, *arguments, machine); !written) return written.error();
  if (measurement->phase.status == core::PhaseStatus::invalid)
    return core::Error{"the measurement is not valid: " + measurement->phase.reason, hint_of(*measurement, options),
                       core::Exit::invalid};
  if (const core::Phase* broken = broken_phase(*measurement)) return break_error(*broken, options.break_above_ns);
  return core::Exit::pass;
}

}  // namespace

core::Result<bool> npt_would_measure(const core::Arguments& words) {
  const auto arguments = parse_arguments(words);
  if (!arguments) return arguments.error();
  return arguments->show == NptArguments::Show::run;
}

const core::Command& npt_command() {
  static const core::Command command{"npt", "the latency loop: gaps between two counter reads, on each CPU", run};
  return command;
}

}  // namespace maxlat::npt
