// SPDX-License-Identifier: MIT
#include "cyclic_options.hpp"

#include <fmt/core.h>

#include <maxlat/attribution/kernel_backend.hpp>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/machine_cpus.hpp>

namespace maxlat::scheduling {
namespace {

namespace po = boost::program_options;

constexpr core::CommandHelp kCyclicHelp{
    "maxlat cyclic [options]",
    "How late does a real-time thread run after its timer? A thread on each CPU sleeps until a time, again and again,\n"
    "as in cyclictest. Exit status 2 when a wake-up was later than --break.",
    "  maxlat cyclic -a 1-3 -D 10m           every millisecond, on CPUs 1 to 3\n"
    "  maxlat cyclic -i 100us -b 50us        every 100 us, until one is more than 50 us late\n"};

constexpr uint64_t kShortest_ns = 1'000, kLongest_ns = 1'000'000'000;
constexpr size_t kMostOutliers = 10'000;

po::options_description options_of_cyclic() {
  po::options_description all("Options");
  auto add = all.add_options();
  add("affinity,a", core::argument<core::CpuListArgument>("CPUS"), "CPUs (default: isolated, else all)");
  add("interval,i", core::argument("TIME"), "from 1us to 1s (default 1 ms; a bare number: us)");
  add("duration,D", core::argument("TIME"), "how long (a bare number: s); 0 (default): until ^C");
  add("loops,l", core::argument<uint64_t>("N"), "wake-ups on each CPU");
  add("break,b", core::argument("TIME"), "stop at a wake-up that is later than TIME (a bare number: us)");
  add("tracemark", core::argument("INSTANCE")->implicit_value("", "top"),
      "mark it in your ftrace, or INSTANCE, and stop that");
  add("priority,p", core::argument<int>("N")->default_value(95), "real-time priority, 1 to 99");
  add("policy", core::argument("POLICY")->default_value("fifo"), "fifo, rr, other, deadline:RUNTIME:PERIOD");
  add("timer", core::argument("TIMER")->default_value("nanosleep"), "nanosleep (clock_nanosleep) or timerfd");
  add("aligned", "all threads are due at once (default: spread over an interval)");
  add("no-dma-latency", "does not hold /dev/cpu_dma_latency at 0");
  add("outliers", core::argument<size_t>("K")->default_value(20), "latest wake-ups kept on each CPU, with their times");
  add("kernel-events", core::argument("BACKEND")->implicit_value(attribution::kAnyBackend, attribution::kAnyBackend),
      "who had the time of the latest wake-ups, by the kernel's events (module, tracefs; root)");
  add("json", core::argument("FILE"), "the result (-: stdout)");
  add("snapshot", core::argument("TIME"), "writes --json also every TIME while it runs");
  add("quiet,q", "no progress; the summary is printed");
  add("verbose,v", "lists the latest wake-ups, too");
  add("help,h", "this text");
  return all;
}

core::Error mistake(std::string text, std::string hint = "maxlat cyclic --help lists the options") {
  return {std::move(text), std::move(hint)};
}

core::Result<core::CpuList> cpus_to_measure(const core::CommandLine& line) {
  if (!line.has("affinity")) {
    const core::Result<core::MachineCpus> machine = core::machine_cpus();
    if (!machine) return machine.error();
    return machine->isolated.empty() ? machine->online : machine->isolated;
  }
  const core::CpuList& cpus = line.get<core::CpuListArgument>("affinity").cpus;
  if (const core::Status usable = core::require_usable(cpus); !usable) return usable.error();
  return cpus;
}

core::Status take_times(const core::CommandLine& line, CyclicSettings& settings) {
  const core::TimeOption times[] = {{"interval", "us", settings.interval_ns},
                                    {"duration", "s", settings.duration_ns, 0, true},
                                    {"break", "us", settings.break_above_ns},
                                    {"snapshot", core::kUnitNeeded, settings.snapshot_period_ns}};
  if (core::Status taken = core::take_times(line, times); !taken) return taken;
  if (settings.interval_ns < kShortest_ns || settings.interval_ns > kLongest_ns)
    return mistake("--interval must be from 1us to 1s", "it is how long each thread sleeps; 1 ms is usual");
  return {};
}

core::Status take_counts(const core::CommandLine& line, CyclicSettings& settings) {
  if (line.has("loops")) {
    settings.loops = line.get<uint64_t>("loops");
    if (settings.loops == 0) return mistake("--loops must be at least 1", "leave it out for no limit");
  }
  settings.outliers = line.get<size_t>("outliers");
  if (settings.outliers > kMostOutliers) return mistake(fmt::format("--outliers: at most {}", kMostOutliers));
  return {};
}

core::Status take_how(const core::CommandLine& line, CyclicSettings& settings) {
  const auto scheduling = core::parse_policy(line.get<std::string>("policy"), line.get<int>("priority"));
  if (!scheduling) return scheduling.error();
  const bool has_priority = scheduling->policy == core::Policy::fifo || scheduling->policy == core::Policy::round_robin;
  if (has_priority && (scheduling->priority < 1 || scheduling->priority > 99))
    return mistake("--priority must be from 1 to 99");
  settings.scheduling = *scheduling;
  const auto& timer = line.get<std::string>("timer");
  if (timer != "nanosleep" && timer != "timerfd")
    return mistake(fmt::format("--timer: '{}' is none", timer), "it is nanosleep or timerfd");
  settings.timer = timer == "timerfd" ? TimerKind::timerfd : TimerKind::nanosleep;
  settings.aligned = line.has("aligned");
  if (line.has("tracemark")) settings.trace_mark = line.get<std::string>("tracemark");
  if (settings.trace_mark && settings.break_above_ns == 0)
    return mistake("--tracemark marks the wake-up of --break", "give -b TIME, too");
  auto kernel_events = attribution::kernel_events_option(line);
  if (!kernel_events) return kernel_events.error();
  settings.kernel_events = *std::move(kernel_events);
  settings.hold_latency = !line.has("no-dma-latency");
  return {};
}

}  // namespace

core::Result<std::optional<CyclicOptions>> parse_cyclic_options(const core::Arguments& arguments) {
  const auto line = core::parse_or_help(kCyclicHelp, options_of_cyclic(), arguments);
  if (!line) return line.error();
  if (!*line) return std::optional<CyclicOptions>();
  const core::CommandLine& given = **line;
  if (!given.operands.empty()) return mistake(fmt::format("unexpected argument '{}'", given.operands[0]));
  CyclicOptions options;
  core::Result<core::CpuList> cpus = cpus_to_measure(given);
  if (!cpus) return cpus.error();
  options.settings.cpus = std::move(*cpus);
  for (const auto take : {take_times, take_counts, take_how})
    if (const core::Status taken = take(given, options.settings); !taken) return taken.error();
  if (given.has("json")) options.json_path = given.get<std::string>("json");
  if (options.settings.snapshot_period_ns > 0 && (options.json_path.empty() || options.json_path == "-"))
    return mistake("--snapshot needs --json FILE", "snapshots replace the file as a whole");
  options.quiet = given.has("quiet");
  options.verbose = given.has("verbose");
  return std::optional(std::move(options));
}

}  // namespace maxlat::scheduling
