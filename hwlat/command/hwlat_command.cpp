// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <maxlat/attribution/kernel_backend.hpp>
#include <maxlat/core/machine/machine_counts.hpp>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/run_frame.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/progress.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <maxlat/core/sys/version.hpp>
#include <maxlat/hwlat/hwlat_command.hpp>
#include <memory>
#include <optional>

#include "backend.hpp"
#include "device/module_load.hpp"
#include "explain.hpp"
#include "hwlat_options.hpp"
#include "hwlat_text.hpp"

namespace maxlat::hwlat {

namespace {

constexpr const char* kUpperBound = "upper bound: interrupts and scheduling are included";

struct Choice {
  const BackendDefinition* definition = nullptr;
  std::unique_ptr<Backend> backend;
  std::string why_not_better;  // why an earlier one of the order was not taken
};

core::Result<Choice> choose(const std::string& wanted) {
  Choice choice;
  for (const BackendDefinition* candidate : backend_rows()) {
    if (wanted != "auto" && wanted != candidate->name) continue;
    choice.definition = candidate;
    choice.backend = candidate->make();
    const core::Status usable = choice.backend->usable();
    if (usable) return choice;
    if (wanted == candidate->name) return usable.error();
    choice.why_not_better += (choice.why_not_better.empty() ? "" : "; ") + usable.error().text;
  }
  return core::Error{"no back end can be used here: " + choice.why_not_better, "", core::Exit::cannot_run};
}

// Reading the machine takes its time, so this comes before the counts and the clock of the measurement.
core::RunResult frame(const Options& options) {
  core::RunResult run = core::run_frame("hwlat", core::utc_text());
  if (!options.json_path.empty()) core::say_machine(run, {.measured_cpus = options.settings.cpus});
  run.verdict.reasons.push_back("maxlat hwlat measures; maxlat run and maxlat gate judge");
  return run;
}

// What the front end adds to what a back end measured.
class Recorder {
 public:
  Recorder(const Options& options, const Choice& choice, std::string command)
      : options_(options),
        choice_(choice),
        run_(frame(options)),
        before_(core::read_machine_counts(options.settings.cpus)) {
    command_ = std::move(command);
  }

  void complete(Measurement& measured) const {
    const core::MachineChange changed =
        core::machine_change(before_, core::read_machine_counts(options_.settings.cpus));
    core::Phase& phase = measured.phase;
    phase.name = "hwlat";
    phase.command = command_;
    phase.started = run_.started;
    phase.duration_s = core::seconds_since(start_);
    phase.facts[core::fact::kBackEnd] = choice_.backend->name();
    if (!choice_.why_not_better.empty()) phase.facts["back end chosen because"] = choice_.why_not_better;
    if (!choice_.definition->interrupts_off) phase.facts[core::fact::kBound] = kUpperBound;
    phase.facts["interrupts"] = choice_.definition->interrupts_off ? "off" : "on";
    phase.facts["window"] = core::duration_text(static_cast<double>(options_.settings.window_ns) * 1e-9);
    phase.facts["width"] = core::duration_text(static_cast<double>(options_.settings.width_ns) * 1e-9);
    phase.facts[core::fact::kThreshold] = core::latency_text(static_cast<double>(options_.settings.threshold_ns));
    phase.facts["samples above the threshold"] = std::to_string(samples_above(measured, options_.settings.threshold_ns));
    phase.facts[core::fact::kSmiCount] = core::smi_text(changed);
    if (const std::string steal = core::steal_text(changed); !steal.empty()) phase.facts[core::fact::kSteal] = steal;
    if (!options_.no_kernel_events.empty()) phase.facts[core::fact::kKernelEvents] = options_.no_kernel_events;
    explain(measured, changed, options_.settings, choice_.definition->interrupts_off);
    if (options_.stop_ns > 0)
      phase.facts[core::fact::kLimit] = core::latency_text(static_cast<double>(options_.stop_ns));
    if (stop_gap_ns_ > 0) {
      if (phase.status == core::PhaseStatus::interrupted) phase.status = core::PhaseStatus::ok;
      phase.facts[core::fact::kEndedBy] = fmt::format("a gap of {}{}, above --stop", core::latency_text(stop_gap_ns_),
                                                      choice_.definition->interrupts_off ? "" : " (upper bound)");
    }
    const bool ends_by_signal_only = options_.settings.duration_ns == 0;
    if (phase.status == core::PhaseStatus::interrupted && ends_by_signal_only) {
      phase.status = core::PhaseStatus::ok;
      phase.facts["stopped by"] = fmt::format("a signal, after {}", core::duration_text(phase.duration_s));
    }
    if (phase.status == core::PhaseStatus::interrupted && phase.reason.empty()) {
      phase.reason = fmt::format("stopped after {}", core::duration_text(phase.duration_s));
    }
  }

  // It ends because a gap was longer than --stop: not interrupted, but as asked.
  void stopped_by(double gap_ns) { stop_gap_ns_ = gap_ns; }

  // `failed`: why the command ends with exit status 2, for the verdict; empty: it does not.
  core::Status write(const Measurement& measured, core::RunResult::State state, const std::string& failed = {}) {
    if (options_.json_path.empty()) return {};
    run_.state = state;
    run_.ended = state == core::RunResult::State::running ? "" : core::utc_text();
    run_.phases = {measured.phase};
    core::say_failed(run_, failed);
    return core::write_run(options_.json_path, run_);
  }

 private:
  const Options& options_;
  const Choice& choice_;
  core::RunResult run_;
  core::MachineCounts before_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string command_;
  double stop_gap_ns_ = 0;
};

// Prints findings once each: those later than the last one printed. Where that fails the measurement goes on, and its
// end tells (stdout's error flag).
class Watcher {
 public:
  void print_new(const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      if (finding.t_ns <= last_t_ns_) continue;
      std::fputs(finding_text(finding).c_str(), stdout);
      last_t_ns_ = finding.t_ns;
    }
    std::fflush(stdout);
  }

 private:
  double last_t_ns_ = -1;
};

// The largest of the findings, in order of time: a bad machine has thousands of them.
std::vector<Finding> worth_printing(std::vector<Finding> findings) {
  constexpr size_t kMostPrinted = 20;
  if (findings.size() <= kMostPrinted) return findings;
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.latency_ns() > b.latency_ns(); });
  findings.resize(kMostPrinted);
  std::sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) { return a.t_ns < b.t_ns; });
  return findings;
}

void debug(const Options& options, const std::string& text) {
  if (options.debug) core::tell("debug: {}\n", text);
}

void print(const Options& options, const Measurement& measured, const std::string& text) {
  if (!options.watch) {
    const std::vector<Finding> largest = worth_printing(measured.findings);
    if (largest.size() < measured.findings.size()) fmt::print("The {} largest findings:\n", largest.size());
    for (const Finding& finding : largest) fmt::print("{}", finding_text(finding));
  }
  fmt::print("{}", text);
  std::fflush(stdout);
}

core::Status write_report(const Options& options, const Measurement& measured, const std::string& text) {
  std::string report = settings_text(options.settings, measured.phase.facts.at(core::fact::kBackEnd));
  for (const Finding& finding : measured.findings) report += finding_text(finding);
  return core::write_atomically(options.report_path, report + text);
}

// Why it ends with exit status 2; empty: it does not.
std::string exceeded(const Options& options, const core::Phase& phase) {
  const auto limit_ns = static_cast<double>(options.hard_limit_ns);
  if (options.hard_limit_ns == 0 || phase.status == core::PhaseStatus::invalid || !(largest_ns(phase) > limit_ns))
    return {};
  return fmt::format("a gap of {}{}: above the hard limit of {}", core::latency_text(largest_ns(phase)),
                     core::is_upper_bound(phase) ? " (upper bound)" : "", core::latency_text(limit_ns));
}

// Everything is tried, also after a failure: what was measured must not be lost because one disk is full.
core::Result<core::Exit> end(const Options& options, const Measurement& measured, Recorder& recorder) {
  const bool interrupted = measured.phase.status == core::PhaseStatus::interrupted;
  const auto state = interrupted ? core::RunResult::State::interrupted : core::RunResult::State::complete;
  const std::string text = result_text(measured, options.settings, options.hard_limit_ns);
  const std::string why = exceeded(options, measured.phase);
  const core::Status written = recorder.write(measured, state, why);
  const core::Status reported = options.report_path.empty() ? core::Status() : write_report(options, measured, text);
  const core::Status raw =
      options.raw_path.empty()
          ? core::Status()
          : core::write_raw_gaps(options.raw_path, raw_findings(measured, options.settings.threshold_ns));
  if (!options.quiet && options.json_path != "-") print(options, measured, text);
  if (!written) return written.error();
  if (!raw) return raw.error();
  if (!reported) return reported.error();
  if (measured.phase.status == core::PhaseStatus::invalid)
    return core::Error{"the measurement is not valid: " + measured.phase.reason, "", core::Exit::invalid};
  return why.empty() ? core::Exit::pass : core::Exit::limit_exceeded;
}

// Chooses, completes the settings by what is chosen, and prints both.
core::Result<Choice> settle(Options& options) {
  core::Result<Choice> choice = choose(options.back_end);
  if (!choice) return choice.error();
  Settings& settings = options.settings;
  if (settings.mode != SamplingMode::per_cpu && !choice->definition->samples_in_turn) {
    const bool asked_for_another = choice->why_not_better.empty();
    return core::Error{fmt::format("--mode {} needs the module", to_string(settings.mode)),
                       asked_for_another ? "leave --backend out" : choice->why_not_better, core::Exit::cannot_run};
  }
  if (!settings.kernel_events.empty() && choice->definition->interrupts_off) {
    const std::string why =
        fmt::format("the {} samples with interrupts off, where the kernel runs nothing that it could name",
                    choice->backend->name());
    if (settings.kernel_events != attribution::kAnyBackend)
      return core::Error{"--kernel-events is of the loop: " + why, "give --backend loop"};
    settings.kernel_events.clear();
    options.no_kernel_events = "not recorded: " + why;
  }
  const Sampling sampling = sampling_of(settings, *choice->backend);
  settings.window_ns = sampling.window_ns;
  settings.width_ns = sampling.width_ns;
  if (const core::Status taken = choice->backend->takes(settings); !taken) return taken.error();
  debug(options, fmt::format("back end: {}; {}", choice->backend->name(), choice->why_not_better));
  if (!options.quiet && options.json_path != "-") {
    fmt::print("{}", settings_text(settings, choice->backend->name()));
    if (!choice->why_not_better.empty()) fmt::print("  back end chosen because: {}\n", choice->why_not_better);
  }
  std::fflush(stdout);
  return choice;
}

core::Result<core::Exit> measure(Options& options, const std::string& command) {
  std::optional<LoadedModule> module;
  if (!options.load_path.empty()) {
    core::Result<LoadedModule> loaded = LoadedModule::load(options.load_path);
    if (!loaded) return loaded.error();
    debug(options, loaded->was_there() ? "a module of that name is loaded already, and stays" : "module loaded");
    module.emplace(std::move(*loaded));
  }
  const core::Result<Choice> choice = settle(options);
  if (!choice) return choice.error();

  core::catch_stop_signals();
  Settings& settings = options.settings;
  Recorder recorder(options, *choice, command);
  core::Progress progress(options.quiet);
  Watcher watcher;
  const double duration_s = static_cast<double>(settings.duration_ns) * 1e-9;
  const uint64_t file_period_ns = settings.snapshot_period_ns;
  Observer observer;
  observer.on_second = [&](double elapsed_s) {
    if (duration_s <= 0) return;
    progress.show("hwlat", elapsed_s / duration_s, std::chrono::seconds(static_cast<long>(duration_s - elapsed_s)));
  };
  double next_file_s = static_cast<double>(file_period_ns) * 1e-9, seconds = 0;
  if (options.watch || options.stop_ns > 0) settings.snapshot_period_ns = 1'000'000'000;
  observer.on_snapshot = [&](const Measurement& so_far) {
    seconds += static_cast<double>(settings.snapshot_period_ns) * 1e-9;
    if (options.watch) watcher.print_new(so_far.findings);
    if (const double largest = largest_ns(so_far.phase);
        options.stop_ns > 0 && largest > static_cast<double>(options.stop_ns)) {
      recorder.stopped_by(largest);
      core::request_stop();
    }
    if (file_period_ns == 0 || seconds < next_file_s || so_far.phase.per_cpu.empty()) return;
    next_file_s += static_cast<double>(file_period_ns) * 1e-9;
    Measurement snapshot = so_far;
    snapshot.phase.status = core::PhaseStatus::interrupted;  // what it is if nothing comes after it
    recorder.complete(snapshot);
    // A snapshot that cannot be written is not worth the run; the result's own write will tell.
    (void)recorder.write(snapshot, core::RunResult::State::running);
  };
  debug(options, "measuring");
  core::Result<Measurement> measured = choice->backend->measure(settings, observer);
  if (!measured) return measured.error();
  if (options.watch) watcher.print_new(measured->findings);
  recorder.complete(*measured);
  return end(options, *measured, recorder);
}

core::Result<core::Exit> run(const core::Arguments& arguments) {
  core::Result<Options> options = parse_options(arguments);
  if (!options) return options.error();
  if (options->help) {
    fmt::print("{}", help());
    return core::Exit::pass;
  }
  for (const std::string* file : {&options->json_path, &options->report_path}) {
    if (file->empty()) continue;
    if (const core::Status writable = core::check_writable(*file); !writable) return writable.error();
  }
  if (const core::Status writable = core::check_raw_files(options->raw_path, options->settings.cpus); !writable)
    return writable.error();
  std::vector<std::string> command{"maxlat", "hwlat"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return measure(*options, core::quote_command(command));
}

}  // namespace

core::Result<bool> hwlat_would_measure(const core::Arguments& words) {
  const core::Result<Options> options = parse_options(words);
  if (!options) return options.error();
  return !options->help;
}

const core::Command& hwlat_command() {
  static constexpr core::Command command{"hwlat", "stalls that hardware and firmware cause", run};
  return command;
}

}  // namespace maxlat::hwlat
