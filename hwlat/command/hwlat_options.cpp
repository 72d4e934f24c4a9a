// SPDX-License-Identifier: MIT
#include "hwlat_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <maxlat/attribution/kernel_backend.hpp>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text.hpp>
#include <string>

namespace maxlat::hwlat {

namespace {

namespace po = boost::program_options;

constexpr std::string_view kAutomatic = "auto";

constexpr const char* kAbout =
    "Looks for stalls that hardware and firmware cause, with the first of its back ends that can be used here. A\n"
    "finding is not a failure: only --hardlimit makes one (exit 2).\n\nBack ends:\n";
constexpr const char* kExamples =
    "  maxlat hwlat -D 10m --hardlimit 50us        ten minutes on all CPUs; exit 2 above 50 us\n"
    "  maxlat hwlat -a 2,3 --backend loop --watch  CPUs 2 and 3 with the loop; prints what it finds at once\n";

std::string backend_names() {
  return fmt::format("{}, {}", kAutomatic, core::names_of(backend_rows()));
}

po::options_description options() {
  po::options_description what("What to look for");
  auto add = what.add_options();
  add("duration,D", core::argument("TIME"), "how long (default 120s; a bare number: s); 0: until ^C");
  add("threshold,T", core::argument("TIME"), "report gaps above (default 10us)");
  add("hardlimit", core::argument("TIME"), "exit with 2 when a gap is above (never)");
  add("stop,s", core::argument("TIME"), "end within a second of a gap above (default: never)");

  po::options_description where("Where and how");
  add = where.add_options();
  add("affinity,a", core::argument<core::CpuListArgument>("CPUS"), "CPUs to watch (default: all)");
  add("cpu-list", core::argument<core::CpuListArgument>("CPUS"), "the same, as hwlatdetect has it");
  add("cpus,c", core::argument<core::CpuListArgument>("CPUS"), "the same, as rtla hwnoise has it");
  add("window", core::argument("TIME"), "period of sampling (default: the back end's, 10ms or 1s)");
  add("period", core::argument("TIME"), "the same, as rtla hwnoise has it");
  add("width", core::argument("TIME"), "sampled part of it (default: the back end's, 9/10 or 1/2)");
  add("runtime,r", core::argument("TIME"), "the same, as rtla hwnoise has it");
  add("mode", core::argument("NAME"), "per-cpu (the default); with the module also round-robin, stop-machine");
  add("backend", core::argument("NAME"), "one of the back ends above (default: auto, the first that can be used)");
  add("load", core::argument("FILE"), "loads maxlat_hwlat.ko for this run");
  add("priority,p", core::argument<int>("N"), "of the loop's threads, SCHED_FIFO (default 95)");
  add("trust-counter", "the loop takes a time-stamp counter that is not known to be invariant");

  po::options_description results("Results");
  add = results.add_options();
  add("report", core::argument("FILE"), "writes the text there too");
  add("json", core::argument("FILE"), "writes a maxlat-result/1; - is standard output");
  add("raw", core::argument("FILE"), "writes the findings of each CPU to FILE.CPU, as sysjitter --raw does");
  add("snapshot", core::argument("TIME"), "writes --json also every TIME while it runs");
  add("outliers", core::argument<size_t>("K"), "keeps the K largest of each CPU (100)");
  add("kernel-events", core::argument("BACKEND")->implicit_value(attribution::kAnyBackend, attribution::kAnyBackend),
      "who had the time of the loop's largest (module, tracefs; as root)");
  add("watch", "prints each finding as it comes");
  add("debug", "says what is done, step by step");
  add("quiet,q", "prints nothing but errors");
  add("help,h", "this text");

  po::options_description all;
  all.add(what).add(where).add(results);
  return all;
}

// The value of the one of several names that is given; "" without. ERRORS: two of them.
core::Result<std::string> one_of(const core::CommandLine& line, std::initializer_list<const char*> names) {
  std::string given;
  for (const char* name : names) {
    if (!line.has(name)) continue;
    if (!given.empty()) return core::Error{fmt::format("--{} and --{} are the same: give one of them", given, name)};
    given = name;
  }
  return given;
}

core::Status take_times(const core::CommandLine& line, Options& options) {
  Settings& settings = options.settings;
  const core::TimeOption times[] = {{"duration", "s", settings.duration_ns, 0, true},
                                    {"threshold", core::kUnitNeeded, settings.threshold_ns, 0, true},
                                    {"window", core::kUnitNeeded, settings.window_ns, 0, true},
                                    {"period", core::kUnitNeeded, settings.window_ns, 0, true},
                                    {"width", core::kUnitNeeded, settings.width_ns, 0, true},
                                    {"runtime", core::kUnitNeeded, settings.width_ns, 0, true},
                                    {"hardlimit", core::kUnitNeeded, options.hard_limit_ns},
                                    {"stop", core::kUnitNeeded, options.stop_ns},
                                    {"snapshot", core::kUnitNeeded, settings.snapshot_period_ns}};
  const auto window = one_of(line, {"window", "period"}), width = one_of(line, {"width", "runtime"});
  if (!window) return window.error();
  if (!width) return width.error();
  if (const core::Status taken = core::take_times(line, times); !taken) return taken;
  if (!window->empty() && settings.window_ns < 1'000'000)
    return core::Error{fmt::format("--{} must be at least 1 ms", *window), "the default is 10ms or 1s"};
  if (!width->empty() && settings.width_ns == 0)
    return core::Error{fmt::format("--{} must be longer than 0", *width), "the default fits"};
  if (settings.width_ns > (settings.window_ns == 0 ? kFallbackWindow_ns : settings.window_ns)) {
    return core::Error{"--width must not be longer than --window", "what is sampled is a part of each window"};
  }
  if (settings.threshold_ns == 0)
    return core::Error{"--threshold must be longer than 0", "every gap would be a finding"};
  return {};
}

core::Status take_cpus(const core::CommandLine& line, Options& options) {
  const auto name = one_of(line, {"affinity", "cpu-list", "cpus"});
  if (!name) return name.error();
  if (!name->empty()) options.settings.cpus = line.get<core::CpuListArgument>(name->c_str()).cpus;
  if (options.settings.cpus.empty()) {
    const core::Result<core::CpuList> online = core::online_cpus();
    if (!online) return online.error();
    options.settings.cpus = *online;
  }
  return core::require_usable(options.settings.cpus);
}

core::Status take_mode(const core::CommandLine& line, Settings& settings) {
  if (!line.has("mode")) return {};
  const auto& name = line.get<std::string>("mode");
  for (const SamplingMode mode : {SamplingMode::per_cpu, SamplingMode::round_robin, SamplingMode::stop_machine}) {
    if (name != to_string(mode)) continue;
    settings.mode = mode;
    return {};
  }
  return core::Error{fmt::format("unknown mode '{}'", name), "it is per-cpu, round-robin or stop-machine"};
}

}  // namespace

std::string help() {
  std::string about = kAbout;
  for (const BackendDefinition* each : backend_rows()) about += "  " + core::list_line(each->name, each->what);
  about.pop_back();
  return core::help_text({"maxlat hwlat [options]", about, kExamples}, options());
}

core::Result<Options> parse_options(const core::Arguments& arguments) {
  const core::Result<core::CommandLine> line = core::parse(options(), arguments);
  if (!line) return line.error();
  Options parsed;
  parsed.help = line->has("help");
  if (parsed.help) return parsed;
  if (!line->operands.empty()) {
    return core::Error{fmt::format("unexpected argument '{}'", line->operands[0]),
                       "maxlat hwlat --help lists the options"};
  }
  if (const core::Status taken = take_times(*line, parsed); !taken) return taken.error();
  if (const core::Status taken = take_cpus(*line, parsed); !taken) return taken.error();
  if (line->has("backend")) parsed.back_end = line->get<std::string>("backend");
  const auto rows = backend_rows();
  if (parsed.back_end != kAutomatic &&
      std::none_of(rows.begin(), rows.end(), [&](const auto* row) { return row->name == parsed.back_end; })) {
    return core::Error{fmt::format("unknown back end '{}'", parsed.back_end), "there are " + backend_names()};
  }
  if (const core::Status taken = take_mode(*line, parsed.settings); !taken) return taken.error();
  if (line->has("load")) parsed.load_path = line->get<std::string>("load");
  parsed.settings.trust_counter = line->has("trust-counter");
  if (line->has("priority")) parsed.settings.priority = line->get<int>("priority");
  if (parsed.settings.priority < 1 || parsed.settings.priority > 99) {
    return core::Error{"--priority must be from 1 to 99", "the default is 95"};
  }
  if (line->has("outliers")) parsed.settings.outliers = line->get<size_t>("outliers");
  if (parsed.settings.outliers < 1 || parsed.settings.outliers > 100'000) {
    return core::Error{"--outliers must be from 1 to 100000", "the default is 100"};
  }
  if (line->has("json")) parsed.json_path = line->get<std::string>("json");
  if (line->has("raw")) parsed.raw_path = line->get<std::string>("raw");
  if (line->has("raw") && (parsed.raw_path.empty() || parsed.raw_path == "-"))
    return core::Error{"--raw needs the name that its files begin with", "--raw gaps writes gaps.0, gaps.1, ..."};
  if (line->has("report")) parsed.report_path = line->get<std::string>("report");
  if (parsed.settings.snapshot_period_ns > 0 && (parsed.json_path.empty() || parsed.json_path == "-")) {
    return core::Error{"--snapshot needs --json FILE", "snapshots replace the file as a whole"};
  }
  auto kernel_events = attribution::kernel_events_option(*line);
  if (!kernel_events) return kernel_events.error();
  parsed.settings.kernel_events = *std::move(kernel_events);
  parsed.watch = line->has("watch");
  parsed.debug = line->has("debug");
  parsed.quiet = line->has("quiet");
  return parsed;
}

}  // namespace maxlat::hwlat
