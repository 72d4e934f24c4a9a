// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/progress.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/scheduling/cyclic_command.hpp>

#include "cyclic_options.hpp"
#include "cyclic_text.hpp"
#include "record/phase_record.hpp"

namespace maxlat::scheduling {
namespace {

CyclicObserver observer_of(const CyclicOptions& options, PhaseRecord& record, core::Progress& progress) {
  CyclicObserver observer;
  const double duration_s = static_cast<double>(options.settings.duration_ns) * 1e-9;
  if (duration_s > 0)
    observer.on_second = [&progress, duration_s](double elapsed_s, double max_ns) {
      progress.show("cyclic", std::min(1.0, elapsed_s / duration_s),
                    std::chrono::seconds(static_cast<long>(std::max(0.0, duration_s - elapsed_s))),
                    "max " + core::latency_text(max_ns));
    };
  observer.on_snapshot = [&record, &progress](const core::Phase& so_far) {
    // A snapshot that fails is not the end: the disk may have room again at the next one.
    if (const core::Status written = record.write_running(so_far); !written)
      progress.note("maxlat cyclic: snapshot: " + written.error().text);
  };
  return observer;
}

// Why it ends with exit status 2; empty: it does not.
std::string exceeded(const CyclicRun& run, const CyclicOptions& options) {
  if (!run.limit_exceeded || run.phase.status == core::PhaseStatus::invalid) return {};
  return fmt::format("{}: above the limit of {}", run.phase.facts.at(core::fact::kBreak),
                     core::latency_text(static_cast<double>(options.settings.break_above_ns)));
}

core::Result<core::Exit> end_of(const CyclicRun& run, const CyclicOptions& options, PhaseRecord& record) {
  const std::string why = exceeded(run, options);
  const core::Status written = record.write_ended(run.phase, why);
  if (options.json_path != "-") fmt::print("{}", cyclic_text(run.phase, options.verbose));
  std::fflush(stdout);
  if (!written) return written.error();
  if (run.phase.status == core::PhaseStatus::invalid)
    return core::Error{"the measurement is not valid: " + run.phase.reason, "", core::Exit::invalid};
  if (why.empty()) return core::Exit::pass;
  return core::Error{why, "", core::Exit::limit_exceeded};
}

core::Result<core::Exit> run_cyclic(const core::Arguments& arguments) {
  const core::Result<std::optional<CyclicOptions>> parsed = parse_cyclic_options(arguments);
  if (!parsed) return parsed.error();
  if (!*parsed) return core::Exit::pass;
  const CyclicOptions& options = **parsed;
  if (!options.json_path.empty())
    if (const core::Status writable = core::check_writable(options.json_path); !writable) return writable.error();

  core::catch_stop_signals();
  PhaseRecord record(options.json_path, "cyclic", arguments, options.settings.cpus);
  core::Progress progress(options.quiet);
  if (options.settings.duration_ns == 0 && options.settings.loops == UINT64_MAX)
    progress.note("running until SIGINT (Ctrl-C)");
  const core::Result<CyclicRun> run = measure_wakeups(options.settings, observer_of(options, record, progress));
  if (!run) return run.error();
  return end_of(*run, options, record);
}

}  // namespace

core::Result<bool> cyclic_would_measure(const core::Arguments& words) {
  const core::Result<std::optional<CyclicOptions>> options = parse_cyclic_options(words);
  if (!options) return options.error();
  return options->has_value();
}

const core::Command& cyclic_command() {
  static constexpr core::Command command{"cyclic", "how late does a real-time thread run after its timer?", run_cyclic};
  return command;
}

}  // namespace maxlat::scheduling
