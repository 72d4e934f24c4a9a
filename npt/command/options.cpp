// SPDX-License-Identifier: MIT
#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <maxlat/attribution/kernel_backend.hpp>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <utility>

#include "compare/compare_options.hpp"

namespace maxlat::npt {
namespace {

namespace po = boost::program_options;

// It may be given twice, as with npt and rt-tests: -vv.
po::typed_value<bool>* flag() {
  return po::value<bool>()->implicit_value(true)->zero_tokens();
}

// A group of --help, and the section of the manual page that has the same title and the same options.
po::options_description group(const char* title) {
  return {title, 110, 55};
}

void add_where_and_how_long(po::options_description& table) {
  const Options defaults;
  auto add = table.add_options();
  add("affinity,a", core::argument<core::CpuListArgument>("CPUS")->implicit_value({}, "all"),
      "one pinned thread on each CPU of a list (no -a: CPU 1; -a alone: all)");
  add("duration,d", core::argument("TIME"), "wall time: 500ms, 5m, 24h (a bare number: s); 0: until ^C");
  add("wall-time,D", core::argument("TIME"), "the same, by cyclictest's letter");
  add("loops,l", core::argument<uint64_t>("N"),
      fmt::format("samples per CPU ({} when no duration is given)", defaults.loops).c_str());
  add("nocountloop,n", core::argument<uint64_t>("N")->default_value(defaults.uncounted_loops),
      "loops before the first sample");
  add("break,b", core::argument("TIME"), "stop all CPUs at a gap above TIME (a bare number: us), exit status 2");
  add("tracemark", core::argument("INSTANCE")->implicit_value("", "top"),
      "mark it in your ftrace, or INSTANCE, and stop that");
}

po::options_description options_of_loop() {
  const Options defaults;
  po::options_description table = group("The loop");
  add_where_and_how_long(table);
  auto add = table.add_options();
  add("priority,p", core::argument<int>("N")->default_value(defaults.scheduling.priority),
      "real-time priority, 1 to 99");
  add("policy", core::argument("POLICY")->default_value("fifo"), "fifo, rr, other, deadline:RUNTIME:PERIOD");
  add("rest", core::argument("TIME"), "sleep TIME in each second (what the scheduler demands); 0: spin");
  add("mlockall,m", flag(), "lock memory (the default)");
  add("no-mlock", flag(), "do not lock memory");
  add("allow-interrupts,i", flag(), "leave interrupts on; else off where the module maxlat_irqoff permits it");
  add("kernel-loop", flag(), "run the loop in the kernel, interrupts off (module maxlat_irqoff)");
  add("counter", core::argument("READ")->default_value(to_string(defaults.counter)),
      "fenced (lfence;rdtsc), plain, ordered (rdtscp), raw-clock");
  add("trust-counter", flag(), "take the time-stamp counter though it is not known to be invariant");
  add("eval-cpu-speed,e", flag(), "measure the counter's rate, even where kernel or CPUID know it");
  return table;
}

po::options_description options_of_tracers() {
  po::options_description table = group("Tracers");
  auto add = table.add_options();
  add("arm", core::argument("ARM")->default_value("none"),
      "none, or the tracer to measure: maxlat:timer, lttng-ust:writer, ...");
  add("trace-dir", core::argument("DIR"), "keep the arm's trace in DIR");
  add("tp-max-freq,f", core::argument("HZ"), "at most so many tracepoints a second and CPU");
  add("trace-window", core::argument("TIME"), "tracepoints on for TIME, then off for the wait window");
  add("wait-window", core::argument("TIME"), "tracepoints off for TIME: separate results");
  add_compare_options(table);
  return table;
}

po::options_description options_of_results() {
  const Options defaults;
  po::options_description table = group("Results");
  auto add = table.add_options();
  add("output,o", core::argument("FILE"), "write report and histogram to FILE");
  add("nanoseconds", flag(), "report and histogram rows in ns (default: us)");
  add("picoseconds", flag(), "report and histogram rows in ps");
  add("outliers", core::argument<size_t>("K")->default_value(defaults.outliers),
      "largest gaps kept per CPU, with their times");
  add("kernel-events", core::argument("BACKEND")->implicit_value(attribution::kAnyBackend, attribution::kAnyBackend),
      "who had the largest gaps, by the kernel's events (module, tracefs; root)");
  add("sensors", flag(), "publish the books meanwhile: maxlat sensors watch 'npt-cpu*'");
  add("raw", core::argument("FILE"), "write the gaps above --above to FILE.CPU, as sysjitter does");
  add("above", core::argument("TIME"), "of --raw; a million gaps a CPU are the most");
  add("histogram,h", core::argument<unsigned>("N")->implicit_value(0, ""),
      "also N histogram rows of 1 us as cyclictest has them; -h alone: help");
  add("histfile", core::argument("FILE"), "write those rows to FILE");
  add("json", core::argument("FILE"), "write the result (maxlat-result/1); \"-\": to stdout, and nothing else");
  add("snapshot", core::argument("TIME"), "rewrite the --json file so often while running");
  add("format", core::argument("LAYOUT")->default_value("npt"), "npt or cyclictest");
  add("quiet,q", flag(), "no progress and no histogram rows");
  add("verbose,v", flag(), "also the outliers and all facts of the run");
  add("version,V", flag(), "version and build");
  add("help", flag(), "this page");
  return table;
}

po::options_description option_table() {
  po::options_description all;
  all.add(options_of_loop()).add(options_of_tracers()).add(options_of_results());
  return all;
}

// A fraction of a second: nothing ends them but their number.
constexpr uint64_t kMostUncounted = 10'000'000;

core::Error mistake(std::string what, std::string hint = "--help lists the options") {
  return {std::move(what), std::move(hint)};
}

core::Status read_times(const core::CommandLine& line, Options& options) {
  const bool one_run = !line.has("compare") && !line.has("find-max-rate");  // the others have an end
  constexpr const char* kUsual = "the usual length";
  const core::TimeOption times[] = {{"duration", "s", options.duration_ns, 'd', one_run, kUsual},
                                    {"wall-time", "s", options.duration_ns, 'D', one_run, kUsual},
                                    {"break", "us", options.break_above_ns, 'b'},
                                    {"rest", core::kUnitNeeded, options.rest_ns, 0, true},
                                    {"above", core::kUnitNeeded, options.raw_above_ns},
                                    {"snapshot", core::kUnitNeeded, options.snapshot_period_ns},
                                    {"trace-window", core::kUnitNeeded, options.trace_window_ns},
                                    {"wait-window", core::kUnitNeeded, options.wait_window_ns}};
  return core::take_times(line, times);
}

core::Status read_counter(const std::string& name, Options& options) {
  for (const CounterRead read :
       {CounterRead::fenced, CounterRead::plain, CounterRead::ordered, CounterRead::raw_clock}) {
    if (name != to_string(read)) continue;
    options.counter = read;
    return {};
  }
  return mistake(fmt::format("--counter: \"{}\" is no way to read the counter", name),
                 "it is fenced, plain, ordered or raw-clock");
}

// "1000", "10k", "2.5M"
core::Result<double> parse_rate(const std::string& text) {
  size_t end = 0;
  double hz = 0;
  try {
    hz = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  const std::string unit = text.substr(std::min(end, text.size()));
  const double factor = unit == "k" ? 1e3 : unit == "M" ? 1e6 : unit.empty() ? 1 : 0;
  if (end == 0 || factor == 0 || !(hz * factor > 0) || !std::isfinite(hz))
    return mistake(fmt::format("--tp-max-freq: \"{}\" is no rate above 0", text),
                   "tracepoints a second, as 1000, 10k or 2.5M");
  return hz * factor;
}

core::Status read_arm(const core::CommandLine& line, Options& options) {
  auto arm = parse_arm(line.get<std::string>("arm"));
  if (!arm) return core::Error{"--arm: " + arm.error().text, arm.error().hint};
  options.arm = *arm;
  // Absolute: a tracer's daemon does not share our working directory.
  if (line.has("trace-dir")) options.trace_folder = std::filesystem::absolute(line.get<std::string>("trace-dir"));
  const bool of_many_runs = line.has("compare") || line.has("find-max-rate");  // which refuse it for what it is
  if (!options.trace_folder.empty() && options.arm.is_none() && !of_many_runs)
    return mistake("--trace-dir needs an arm that writes a trace", "give one with --arm");
  if (options.kernel_loop && !options.arm.is_none())
    return mistake("--kernel-loop has no tracepoints: it goes with the arm \"none\" only", "leave one of them out");
  if (line.has("trace-window") != line.has("wait-window"))
    return mistake(fmt::format("--{} alone", line.has("trace-window") ? "trace-window" : "wait-window"),
                   "give both --trace-window and --wait-window: they take turns");
  if (!line.has("tp-max-freq")) return {};
  if (options.kernel_loop) return mistake("--kernel-loop has no tracepoints whose rate -f could limit", "leave -f out");
  auto hz = parse_rate(line.get<std::string>("tp-max-freq"));
  if (!hz) return hz.error();
  options.max_event_hz = *hz;
  return {};
}

core::Status read_measurement(const core::CommandLine& line, Options& options) {
  if (line.has("affinity")) {
    options.cpus = line.get<core::CpuListArgument>("affinity").cpus;
    if (options.cpus.empty()) {
      auto all = core::assignable_cpus();
      if (!all) return all.error();
      options.cpus = *all;
    }
  }
  if (core::Status status = read_times(line, options); !status) return status;
  if (line.has("loops")) {
    options.loops = line.get<uint64_t>("loops");
    if (options.loops == 0) return mistake("--loops: must be above 0");
  } else if (line.has("duration") || line.has("wall-time")) {
    options.loops = 0;
  }
  options.uncounted_loops = line.get<uint64_t>("nocountloop");
  if (options.uncounted_loops > kMostUncounted)
    return mistake(fmt::format("--nocountloop: {} is the most", kMostUncounted),
                   "they warm up caches; neither -D nor ^C ends them");
  auto scheduling = core::parse_policy(line.get<std::string>("policy"), line.get<int>("priority"));
  if (!scheduling) return scheduling.error();
  const bool has_priority = scheduling->policy == core::Policy::fifo || scheduling->policy == core::Policy::round_robin;
  if (has_priority && (scheduling->priority < 1 || scheduling->priority > 99))
    return mistake(fmt::format("--priority: {} is not within 1 to 99", scheduling->priority));
  options.scheduling = *scheduling;
  options.lock_memory = !line.has("no-mlock");
  options.measure_counter_rate = line.has("eval-cpu-speed");
  options.allow_interrupts = line.has("allow-interrupts");
  options.kernel_loop = line.has("kernel-loop");
  if (options.kernel_loop && options.allow_interrupts)
    return mistake("--kernel-loop has interrupts off: it does not go with -i", "give one of them");
  if (options.kernel_loop && line.get<std::string>("counter") != to_string(CounterRead::fenced))
    return mistake("--kernel-loop reads the counter fenced", "leave --counter out");
  options.trust_counter = line.has("trust-counter");
  options.outliers = line.get<size_t>("outliers");
  auto kernel_events = attribution::kernel_events_option(line);
  if (!kernel_events) return kernel_events.error();
  options.kernel_events = *std::move(kernel_events);
  if (options.outliers > 10'000)
    return mistake("--outliers: at most 10000", "each new one is sorted in within the loop");
  options.sensors = line.has("sensors");
  if (line.has("tracemark")) options.trace_mark = line.get<std::string>("tracemark");
  if (options.trace_mark && options.break_above_ns == 0)
    return mistake("--tracemark marks the gap of --break", "give -b TIME, too");
  if (core::Status status = read_arm(line, options); !status) return status;
  return read_counter(line.get<std::string>("counter"), options);
}

core::Status read_reporting(const core::CommandLine& line, NptArguments& arguments) {
  const auto file = [&](const char* name) { return line.has(name) ? line.get<std::string>(name) : std::string(); };
  arguments.output_file = file("output");
  arguments.histogram_file = file("histfile");
  arguments.json_file = file("json");
  arguments.raw_file = file("raw");
  if (line.has("raw") && (arguments.raw_file.empty() || arguments.raw_file == "-"))
    return mistake("--raw needs the name that its files begin with",
                   "--raw gaps --above 1us writes gaps.0, gaps.1, ...");
  if (line.has("raw") != line.has("above"))
    return mistake(fmt::format("--{} alone", line.has("raw") ? "raw" : "above"),
                   "give both: --raw gaps --above 1us writes gaps.0, gaps.1, ...");
  if (line.has("nanoseconds")) arguments.unit = kNanoseconds;
  if (line.has("picoseconds")) arguments.unit = kPicoseconds;
  if (line.has("histogram")) arguments.histogram_rows = line.get<unsigned>("histogram");
  if (line.has("histogram") && arguments.histogram_rows == 0) return mistake("--histogram: must be above 0");
  if (arguments.histogram_rows > 1'000'000) return mistake("--histogram: at most 1000000 rows");
  const auto& layout = line.get<std::string>("format");
  if (layout == "cyclictest")
    arguments.layout = Layout::cyclictest;
  else if (layout != "npt")
    return mistake(fmt::format("--format: \"{}\" is no layout", layout), "it is npt or cyclictest");
  const bool snapshots = arguments.measurement.snapshot_period_ns != 0;
  if (snapshots && (arguments.json_file.empty() || arguments.json_file == "-"))
    return mistake("--snapshot needs a file to rewrite", "give --json FILE");
  arguments.rest_given = line.has("rest");
  arguments.quiet = line.has("quiet");
  arguments.verbose = line.has("verbose");
  return {};
}

// "-h" alone asks for help; "-h 400us" is a mistake, though 400us is then no word of -h.
bool is_bare_h(const core::CommandLine& line) {
  const auto written = std::find_if(line.written.begin(), line.written.end(),
                                    [](const auto& option) { return option.name == "histogram"; });
  return written != line.written.end() && !written->argument && line.operands.empty();
}

// -a without a list: a word behind it was meant to be one.
bool asks_for_all_cpus(const core::CommandLine& line) {
  return line.has("affinity") && line.get<core::CpuListArgument>("affinity").cpus.empty();
}

}  // namespace

core::Result<NptArguments> parse_arguments(const core::Arguments& words) {
  auto line = core::parse(option_table(), words);
  if (!line) return line.error();
  NptArguments arguments;
  if (line->has("help") || is_bare_h(*line)) {
    arguments.show = NptArguments::Show::help;
    return arguments;
  }
  if (line->has("version")) {
    arguments.show = NptArguments::Show::version;
    return arguments;
  }
  if (!line->operands.empty() && line->has("histogram") && line->get<unsigned>("histogram") == 0)
    return mistake(fmt::format("--histogram: \"{}\" is no number of rows", line->operands.front()),
                   "-h 400: 400 rows of 1 us");
  if (!line->operands.empty() && asks_for_all_cpus(*line))
    return mistake(fmt::format("--affinity: \"{}\" is no list of CPUs", line->operands.front()),
                   "a CPU list is like 0,2-5 or 1-7:2; -a alone: all");
  if (!line->operands.empty()) return mistake(fmt::format("\"{}\" is no option", line->operands.front()));
  if (core::Status status = read_measurement(*line, arguments.measurement); !status) return status.error();
  if (core::Status status = check(arguments.measurement); !status) return status.error();
  if (core::Status status = read_reporting(*line, arguments); !status) return status.error();
  if (core::Status status = read_compare_options(*line, arguments); !status) return status.error();
  return arguments;
}

std::string npt_help() {
  constexpr core::CommandHelp kHelp{
      "maxlat npt [options]",
      "Non-Preempt Test: reads the counter in a loop on each CPU and files every gap between two reads.",
      "  maxlat npt -a 2,3 -D 1h --json npt.json             one hour on CPUs 2 and 3, result in npt.json\n"
      "  maxlat npt --compare none,maxlat:timer -a 1         what the tracer adds on CPU 1, with a verdict\n"};
  return core::help_text(kHelp, option_table());
}

std::string npt_version() {
  return fmt::format(
      "maxlat npt {} (options and output of npt 1.01)\narms: {}\nloop: integer books, delayed filing; compiler {}\n",
      MAXLAT_VERSION, arm_names(), __VERSION__);
}

}  // namespace maxlat::npt
