// SPDX-License-Identifier: MIT
#include "record_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <string_view>

#include "control/control_target.hpp"
#include "kernel/kernel_options.hpp"
#include "kernel/kernel_patterns.hpp"
#include "read/read_filter.hpp"
#include "recorded_channel.hpp"

namespace maxlat::trace_tools {
namespace {

core::Result<std::chrono::nanoseconds> duration_of(const core::CommandLine& line, const char* name,
                                                   std::string_view bare_unit = core::kUnitNeeded) {
  const auto span = parse_span(line.get<std::string>(name), bare_unit);
  if (!span) return core::Error{fmt::format("--{}: {}", name, span.error().text), span.error().hint};
  return span;
}

// An option that would change nothing is a mistake in what was meant by it: this check and the next.
core::Status snapshots_are_taken(const core::CommandLine& line) {
  for (const char* name : {"min-interval", "post-trigger"}) {
    if (line.given(name) && !line.has("flight-recorder"))
      return core::Error{fmt::format("--{} is of snapshots", name), "give --flight-recorder, too"};
  }
  return {};
}

core::Status period_is_used(const core::CommandLine& line, const std::vector<RecordedChannel>& channels) {
  const auto is_woken = [](const auto& c) { return c.options.delivery == trace::Delivery::wakeup; };
  const auto is_flushed = [](const auto& c) { return c.flush.count() != 0; };
  const bool all_wake = std::all_of(channels.begin(), channels.end(), is_woken);
  if (line.given("period") && all_wake && std::any_of(channels.begin(), channels.end(), is_flushed))
    return core::Error{"--period does not go with --deliver wakeup: only --flush is done by time",
                       "leave one of them out, or flush never: --flush 0"};
  return {};
}

// What -e names.
struct WantedEvents {
  std::vector<std::string> kernel;
  std::optional<std::vector<std::string>> programs;  // nothing: all of them
};
core::Result<WantedEvents> wanted_events(const core::CommandLine& line) {
  WantedEvents wanted;
  if (!line.has("event")) return wanted;
  auto patterns = event_patterns(line);
  if (!patterns) return patterns.error();
  const bool with_kernel = line.has("kernel");
  for (const std::string& pattern : *patterns)
    if (pattern.find(':') == pattern.npos)
      return core::Error{fmt::format("-e \"{}\": {}a pattern is PROVIDER:NAME", pattern, with_kernel ? "with --kernel " : ""),
                         with_kernel ? fmt::format("of the kernel, PROVIDER is a subsystem: -e '*:{}' is of programs", pattern)
                                     : fmt::format("-e '*:{}' is of every provider", pattern)};
  if (!with_kernel) {
    wanted.programs = *std::move(patterns);
    return wanted;
  }
  auto split = split_patterns(*patterns);
  if (!split) return split.error();
  wanted.kernel = std::move(split->kernel);
  wanted.programs = std::move(split->programs);
  return wanted;
}

core::Result<RecordingOptions> recording_options(const core::CommandLine& line, const WantedEvents& wanted) {
  RecordingOptions options;
  options.session = line.get<std::string>("session");
  auto channels = recorded_channels(line, options.session, wanted.programs);
  if (!channels) return channels.error();
  options.channels = *std::move(channels);
  if (const core::Status taken = snapshots_are_taken(line); !taken) return taken.error();
  const auto period = duration_of(line, "period"), interval = duration_of(line, "min-interval");
  const auto post_trigger = duration_of(line, "post-trigger");
  for (const auto* each : {&period, &interval, &post_trigger}) {
    if (!*each) return each->error();
  }
  if (const core::Status used = period_is_used(line, options.channels); !used) return used.error();
  if (const core::Status rare = not_too_often(*period); period->count() != 0 && !rare)
    return core::Error{"--period: " + rare.error().text, "0: without a rest, on a CPU of its own"};
  options.recorder.directory = line.get<std::string>("output");
  options.recorder.period = *period;
  for (const RecordedChannel& channel : options.channels)
    options.recorder.flush_of[channel.options.name] = channel.flush;
  options.recorder.flight_recorder = line.has("flight-recorder");
  options.recorder.snapshot_interval = *interval;
  options.recorder.post_trigger = *post_trigger;
  options.quiet = line.has("quiet");
  options.recorder.say = [quiet = options.quiet](const std::string& text) {
    if (!quiet || !text.starts_with("snapshot: ")) core::tell("maxlat trace record: {}\n", text);
  };
  return options;
}

}  // namespace

core::Result<RecordPlan> make_record_plan(const core::CommandLine& line) {
  if (!line.has("output"))
    return core::Error{"-o is missing", "where shall the trace go? maxlat trace record -o DIR -- CMD"};
  const bool none = !line.has("pid") && line.operands.empty();
  if ((line.has("pid") && !line.operands.empty()) || (none && !line.has("kernel")))
    return core::Error{"either a command after -- or -p PID, not both and not none"};
  for (const char* option : {"kernel-cpus", "kernel-size"})
    if (line.given(option) && !line.has("kernel"))
      return core::Error{fmt::format("--{} is about the kernel's events: --kernel is missing", option)};
  const auto wanted = wanted_events(line);
  if (!wanted) return wanted.error();
  auto recording = recording_options(line, *wanted);
  if (!recording) return recording.error();
  RecordPlan plan{
      .recording = *std::move(recording), .kernel = {}, .duration = {}, .program = {}, .command = line.operands};
  if (line.has("kernel")) {
    auto kernel = make_kernel_plan(line, wanted->kernel);
    if (!kernel) return kernel.error();
    plan.kernel = *std::move(kernel);
    plan.kernel->directory = plan.directory();
    plan.kernel->session = plan.recording.session;
    plan.kernel->say = plan.recording.recorder.say;
    plan.kernel->flight_recorder = plan.recording.recorder.flight_recorder;
    plan.kernel->snapshot_interval = plan.recording.recorder.snapshot_interval;
  }
  const bool none_wanted = wanted->programs && wanted->programs->empty() && !line.has("channel");
  plan.of_programs = !none && !none_wanted;
  plan.names_programs = plan.kernel && wanted->programs && !wanted->programs->empty();
  if (line.has("pid") && !plan.of_programs)
    return core::Error{"-p names a program, and -e no event of it", "add its events: -e 'PROVIDER:*'"};
  if (line.has("duration")) {
    const auto duration = duration_of(line, "duration", "s");
    if (!duration) return duration.error();
    if (duration->count() == 0)
      return core::Error{"--duration: must be above 0", "leave it out to record until the end"};
    plan.duration = *duration;
  }
  if (line.has("pid")) {
    const auto found = find_process(line.get<std::string>("pid"));
    if (!found) return found.error();
    plan.program = *found;
  }
  return plan;
}

}  // namespace maxlat::trace_tools
