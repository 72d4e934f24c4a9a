// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/progress.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/scheduling/preempt_command.hpp>

#include "preempt_options.hpp"
#include "preempt_summary.hpp"
#include "preempt_text.hpp"
#include "record/phase_record.hpp"

namespace maxlat::scheduling {
namespace {

using Clock = std::chrono::steady_clock;

core::Result<core::Exit> end_of(const core::Phase& phase, const PreemptOptions& options, PhaseRecord& record) {
  const PreemptSummary summary = summary_of(phase);
  const core::Status written =
      record.write_ended(phase, summary.broken.empty() ? "" : core::broken_text(*summary.broken.front()));
  if (!options.quiet && options.json_path != "-") fmt::print("{}", preempt_text(phase, options.verbose));
  std::fflush(stdout);
  if (!written) return written.error();
  if (!summary.broken.empty()) return core::Exit::limit_exceeded;
  if (phase.status == core::PhaseStatus::invalid)
    return core::Error{"the measurement is not valid: " + phase.reason, "", core::Exit::invalid};
  return core::Exit::pass;
}

core::Result<core::Exit> run_preempt(const core::Arguments& arguments) {
  const core::Result<std::optional<PreemptOptions>> parsed = parse_preempt_options(arguments);
  if (!parsed) return parsed.error();
  if (!*parsed) return core::Exit::pass;
  const PreemptOptions& options = **parsed;
  if (!options.json_path.empty())
    if (const core::Status writable = core::check_writable(options.json_path); !writable) return writable.error();

  core::catch_stop_signals();
  PhaseRecord record(options.json_path, "preempt", arguments, options.settings.cpus);
  core::Progress progress(options.quiet);
  const auto start = Clock::now();
  auto next_snapshot = start + std::chrono::nanoseconds(options.snapshot_period_ns);
  const auto on_pair = [&](const core::Phase& so_far, double done) {
    const double left_s = core::seconds_since(start) * (1 - done) / done;
    progress.show("preempt", done, std::chrono::seconds(static_cast<long>(left_s)));
    if (options.snapshot_period_ns == 0 || Clock::now() < next_snapshot) return;
    next_snapshot = Clock::now() + std::chrono::nanoseconds(options.snapshot_period_ns);
    // One that cannot be written is not worth the run; the result's own write will tell.
    (void)record.write_running(so_far);
  };
  const core::Result<core::Phase> phase = measure_preemption(options.settings, on_pair);
  if (!phase) return phase.error();
  return end_of(*phase, options, record);
}

}  // namespace

core::Result<bool> preempt_would_measure(const core::Arguments& words) {
  const core::Result<std::optional<PreemptOptions>> options = parse_preempt_options(words);
  if (!options) return options.error();
  return options->has_value();
}

const core::Command& preempt_command() {
  static constexpr core::Command command{"preempt", "does a higher priority preempt, and how fast?", run_preempt};
  return command;
}

}  // namespace maxlat::scheduling
