// SPDX-License-Identifier: MIT
#include "hwlat_options.hpp"

#include <fmt/core.h>

#include <maxlat/core/cli_kit.hpp>
#include <maxlat/core/duration.hpp>

namespace maxlat::hwlat {

namespace {

namespace po = boost::program_options;

constexpr core::CommandHelp kHelp{
    "maxlat hwlat [options]",
    "Looks for stalls that hardware and firmware cause: with the kernel's hwlat tracer where there is one, else with "
    "a\n"
    "real-time loop on each CPU, which is an upper bound. A finding is not a failure: only --hardlimit makes one (exit "
    "2).",
    "  maxlat hwlat -D 10m --hardlimit 50us        ten minutes on all CPUs; exit 2 above 50 us\n"
    "  maxlat hwlat -a 2,3 --backend loop --watch  CPUs 2 and 3 with the loop; prints what it finds at once\n"};

po::options_description options() {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  po::options_description all;
  po::options_description what("What to look for");
  what.add_options()("duration,D", text("TIME"), "how long (default 120s); 0: until ^C")(
      "threshold", text("TIME"), "report gaps above (default 10us; a bare number is us)")(
      "hardlimit", text("TIME"), "exit with 2 when a gap is above (default: never)");
  po::options_description where("Where and how");
  where.add_options()("affinity,a", po::value<core::CpuListArgument>()->value_name("CPUS"),
                      "CPUs to watch (default: all)")(
      "cpu-list", po::value<core::CpuListArgument>()->value_name("CPUS"), "the same")(
      "window", text("TIME"), "period of sampling (default 1s; a bare number is us)")(
      "width", text("TIME"), "sampled part of each window (default: tracer 500ms, loop 900ms)")(
      "backend", text("NAME"), "auto (the default), tracer or loop")("priority,p", po::value<int>()->value_name("N"),
                                                                     "of the loop's threads, SCHED_FIFO (default 95)");
  po::options_description results("Results");
  results.add_options()("report", text("FILE"), "writes the text there too")(
      "json", text("FILE"), "writes a maxlat-result/1; - is standard output")(
      "snapshot", text("TIME"), "writes --json also every TIME while it runs")(
      "outliers", po::value<size_t>()->value_name("K"), "keeps the K largest of each CPU (default 100)")(
      "watch", "prints each finding as it comes")("debug", "says what is done, step by step")(
      "quiet,q", "prints nothing but errors")("help,h", "this text");
  all.add(what).add(where).add(results);
  return all;
}

core::Status take_duration(const core::CommandLine& line, const char* name, const char* bare_unit, uint64_t& ns) {
  if (!line.has(name)) return {};
  const core::Result<uint64_t> value = core::parse_duration_ns(line.get<std::string>(name), bare_unit);
  if (!value) return core::Error{fmt::format("--{}: {}", name, value.error().text), value.error().hint};
  ns = *value;
  return {};
}

core::Status take_times(const core::CommandLine& line, Options& options) {
  Settings& settings = options.settings;
  const struct {
    const char* name;
    const char* bare_unit;
    uint64_t& value;
  } times[] = {{"duration", "s", settings.duration_ns},    {"threshold", "us", settings.threshold_ns},
               {"window", "us", settings.window_ns},       {"width", "us", settings.width_ns},
               {"hardlimit", "us", options.hard_limit_ns}, {"snapshot", "s", settings.snapshot_period_ns}};
  for (const auto& time : times) {
    if (const core::Status taken = take_duration(line, time.name, time.bare_unit, time.value); !taken) return taken;
  }
  if (settings.window_ns < 1'000'000) return core::Error{"--window must be at least 1 ms", "the default is 1s"};
  if (line.has("width") && settings.width_ns == 0)
    return core::Error{"--width must be longer than 0", "the default fits"};
  if (settings.width_ns > settings.window_ns) {
    return core::Error{"--width must not be longer than --window", "what is sampled is a part of each window"};
  }
  if (settings.threshold_ns == 0)
    return core::Error{"--threshold must be longer than 0", "every gap would be a finding"};
  if (line.has("hardlimit") && options.hard_limit_ns == 0)
    return core::Error{"--hardlimit must be longer than 0", "leave it out for none"};
  return {};
}

core::Status take_cpus(const core::CommandLine& line, Options& options) {
  if (line.has("affinity") && line.has("cpu-list"))
    return core::Error{"-a and --cpu-list are the same: give one of them"};
  for (const char* name : {"affinity", "cpu-list"}) {
    if (line.has(name)) options.settings.cpus = line.get<core::CpuListArgument>(name).cpus;
  }
  if (options.settings.cpus.empty()) {
    const core::Result<core::CpuList> online = core::online_cpus();
    if (!online) return online.error();
    options.settings.cpus = *online;
  }
  return core::require_usable(options.settings.cpus);
}

}  // namespace

std::string help() {
  return core::help_text(kHelp, options());
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
  if (parsed.back_end != "auto" && parsed.back_end != "tracer" && parsed.back_end != "loop") {
    return core::Error{fmt::format("unknown back end '{}'", parsed.back_end), "it is auto, tracer or loop"};
  }
  if (line->has("priority")) parsed.settings.priority = line->get<int>("priority");
  if (parsed.settings.priority < 1 || parsed.settings.priority > 99) {
    return core::Error{"--priority must be from 1 to 99", "the default is 95"};
  }
  if (line->has("outliers")) parsed.settings.outliers = line->get<size_t>("outliers");
  if (parsed.settings.outliers < 1 || parsed.settings.outliers > 100'000) {
    return core::Error{"--outliers must be from 1 to 100000", "the default is 100"};
  }
  if (line->has("json")) parsed.json_path = line->get<std::string>("json");
  if (line->has("report")) parsed.report_path = line->get<std::string>("report");
  if (parsed.settings.snapshot_period_ns > 0 && (parsed.json_path.empty() || parsed.json_path == "-")) {
    return core::Error{"--snapshot needs --json FILE", "snapshots replace the file as a whole"};
  }
  parsed.watch = line->has("watch");
  parsed.debug = line->has("debug");
  parsed.quiet = line->has("quiet");
  return parsed;
}

}  // namespace maxlat::hwlat
