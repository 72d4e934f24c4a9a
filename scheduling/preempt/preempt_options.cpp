// SPDX-License-Identifier: MIT
#include "preempt_options.hpp"

#include <fmt/core.h>

#include <maxlat/attribution/kernel_backend.hpp>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/machine_cpus.hpp>

namespace maxlat::scheduling {
namespace {

namespace po = boost::program_options;

constexpr core::CommandHelp kPreemptHelp{
    "maxlat preempt [options]",
    "Does a thread of a higher scheduling policy or priority preempt one of a lower, and how fast? A lower one never\n"
    "may. Tried for every pair of policies, on one CPU after the other. Exit status 2 when a pair did not do as it "
    "must.",
    "  maxlat preempt -a 2-3                 100 rounds of each pair on CPUs 2 and 3\n"
    "  maxlat preempt -a 1 -D 1m -p 50 -v    for a minute, with the priorities 50 and 49; every pair is listed\n"};

po::options_description options_of_preempt() {
  po::options_description all("Options");
  auto add = all.add_options();
  add("affinity,a", core::argument<core::CpuListArgument>("CPUS"), "CPUs (default: isolated, else all but the first)");
  add("cpus", core::argument<core::CpuListArgument>("CPUS"), "the same, as maxlat shield has it");
  add("loops,l", core::argument<uint64_t>("N"), "rounds of each pair on each CPU (default 100; with -D no limit)");
  add("duration,D", core::argument("TIME"), "how long in all; each pair gets its share (a bare number: s)");
  add("priority,p", core::argument<int>("N"),
      "of the higher real-time threads, 2 to 99 (default 95); the lower have N - 1");
  add("kernel-events", core::argument("BACKEND")->implicit_value(attribution::kAnyBackend, attribution::kAnyBackend),
      "who had the time of the largest delays, by the kernel's events (module, tracefs; root)");
  add("json", core::argument("FILE"), "the result (-: stdout)");
  add("snapshot", core::argument("TIME"), "writes --json also every TIME while it runs");
  add("quiet,q", "prints nothing but errors");
  add("verbose,v", "every pair and the largest delays, not only pairs that must preempt or did not do as they must");
  add("help,h", "this text");
  return all;
}

core::Result<core::CpuList> cpus_to_test(const core::CommandLine& line) {
  if (line.has("affinity") && line.has("cpus"))
    return core::Error{"--affinity and --cpus are the same: give one of them"};
  for (const char* name : {"affinity", "cpus"}) {
    if (!line.has(name)) continue;
    const core::CpuList& cpus = line.get<core::CpuListArgument>(name).cpus;
    if (const core::Status usable = core::require_usable(cpus); !usable) return usable.error();
    return cpus;
  }
  const core::Result<core::MachineCpus> machine = core::machine_cpus();
  if (!machine) return machine.error();
  return core::default_measured(*machine);
}

core::Status take_how_long(const core::CommandLine& line, PreemptOptions& options) {
  PreemptSettings& settings = options.settings;
  const core::TimeOption times[] = {{"duration", "s", settings.duration_ns},
                                    {"snapshot", core::kUnitNeeded, options.snapshot_period_ns}};
  if (core::Status taken = core::take_times(line, times); !taken) return taken;
  if (line.has("loops")) {
    settings.loops = line.get<uint64_t>("loops");
    if (*settings.loops == 0) return core::Error{"--loops must be at least 1", "the default is 100"};
  } else if (settings.duration_ns > 0) {
    settings.loops.reset();
  }
  return {};
}

}  // namespace

core::Result<std::optional<PreemptOptions>> parse_preempt_options(const core::Arguments& arguments) {
  const auto line = core::parse_or_help(kPreemptHelp, options_of_preempt(), arguments);
  if (!line) return line.error();
  if (!*line) return std::optional<PreemptOptions>();
  const core::CommandLine& given = **line;
  if (!given.operands.empty())
    return core::Error{fmt::format("unexpected argument '{}'", given.operands[0]),
                       "maxlat preempt --help lists the options"};
  PreemptOptions options;
  core::Result<core::CpuList> cpus = cpus_to_test(given);
  if (!cpus) return cpus.error();
  options.settings.cpus = std::move(*cpus);
  if (const core::Status taken = take_how_long(given, options); !taken) return taken.error();
  if (given.has("priority")) options.settings.priority = given.get<int>("priority");
  if (options.settings.priority < 2 || options.settings.priority > 99)
    return core::Error{"--priority must be from 2 to 99", "the default is 95; the lower threads have one less"};
  auto kernel_events = attribution::kernel_events_option(given);
  if (!kernel_events) return kernel_events.error();
  options.settings.kernel_events = *std::move(kernel_events);
  if (given.has("json")) options.json_path = given.get<std::string>("json");
  if (options.snapshot_period_ns > 0 && (options.json_path.empty() || options.json_path == "-"))
    return core::Error{"--snapshot needs --json FILE", "snapshots replace the file as a whole"};
  options.quiet = given.has("quiet");
  options.verbose = given.has("verbose");
  return std::optional(std::move(options));
}

}  // namespace maxlat::scheduling
